package io.rdma.samples.bench;

import io.rdma.samples.bench.startup.FirstOperation;
import io.rdma.samples.bench.startup.NoOperation;
import io.rdma.samples.support.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A measurement of the time from start to the first operation. */
@Command(
        name = "startup",
        mixinStandardHelpOptions = true,
        description = "From the start of a JVM to the first completed message on soft0, over a JVM that does nothing.")
final class StartupBench implements Callable<Integer> {
    private static final String AOT_CACHE = "AOT cache";
    private static final String OVER = ", over an empty main";

    @Mixin
    private BenchOptions options = new BenchOptions();

    private final Results results = new Results("startup");

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(options.output());
        Map<String, String[]> ways = new LinkedHashMap<>();
        ways.put("as it is", new String[0]);
        if (!options.quick()) {
            if (Runtime.version().feature() >= 25) {
                train(ways, AOT_CACHE, "startup.aot", "-XX:AOTCacheOutput=", "-XX:AOTCache=");
            } else {
                train(ways, "class-data sharing", "startup.jsa", "-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile=");
            }
        }
        for (int round = 1; round <= options.rounds(); round++) {
            for (Map.Entry<String, String[]> way : ways.entrySet()) {
                double[] nothing = start(NoOperation.class, way.getValue());
                double[] first = start(FirstOperation.class, way.getValue());
                results.add(way.getKey() + ", empty main", "ms", nothing[0]);
                results.add(way.getKey() + ", first operation", "ms", first[0]);
                results.add(way.getKey() + OVER, "ms", first[0] - nothing[0]);
                results.add(way.getKey() + OVER + ", processor", "ms", first[1] - nothing[1]);
            }
        }
        results.bar("as it is" + OVER, Bar.atMost(250));
        if (ways.containsKey(AOT_CACHE)) {
            results.bar(AOT_CACHE + OVER, Bar.atMost(80));
        }
        options.finish(results);
        return 0;
    }

    /** Runs a program once to create the archive that later runs use. */
    private void train(Map<String, String[]> ways, String way, String name, String make, String use)
            throws IOException, InterruptedException {
        Path archive = options.output().resolve(name).toAbsolutePath();
        Files.deleteIfExists(archive);
        Process process = ChildJvm.of(List.of(make + archive), FirstOperation.class, List.of())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        process.waitFor();
        if (Files.exists(archive)) {
            ways.put(way, new String[] {use + archive});
        } else {
            System.out.println(
                    way + " is skipped: the JVM wrote no archive, since it archives classes in jars, not in folders");
        }
    }

    /**
     * Starts a program and waits for its last line.
     *
     * @return milliseconds of elapsed time until that line, and of processor time
     */
    private static double[] start(Class<?> program, String... javaOptions) throws IOException, InterruptedException {
        ProcessBuilder builder = ChildJvm.of(List.of(javaOptions), program, List.of());
        long start = System.nanoTime();
        Process process = builder.start();
        try (BufferedReader output = process.inputReader()) {
            String line = output.readLine();
            while (line != null && line.startsWith("[")) { // a message of the JVM itself
                line = output.readLine();
            }
            double millis = (System.nanoTime() - start) / 1e6;
            if (process.waitFor() != 0 || line == null) {
                throw new IOException(program + " failed");
            }
            return new double[] {millis, Double.parseDouble(line)};
        }
    }
}
