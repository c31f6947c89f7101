package io.rdma.samples.bench;

import io.rdma.samples.bench.engine.BareLoop;
import io.rdma.samples.bench.engine.BareSuspension;
import io.rdma.samples.bench.engine.EngineWrites;
import io.rdma.samples.bench.engine.ForeignCalls;
import io.rdma.samples.bench.engine.ReactiveStream;
import io.rdma.samples.bench.engine.ReactiveWrites;
import io.rdma.samples.bench.engine.Submission;
import io.rdma.samples.bench.engine.SuspendedWrites;
import io.rdma.samples.bench.seam.CompiledC;
import io.rdma.samples.bench.seam.CompiledC.Program;
import io.rdma.samples.bench.seam.Devices;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** A run of JMH in each round, with each benchmark in a JVM of its own. Compares within each round. */
final class EngineRun {
    private static final String C_WRITES = "C, 64 B writes";
    private static final String C_SERIAL = "C, 64 B writes, one at a time";
    private static final String C_MESSAGES = "C, 64 B send to receive, both ends";
    private static final String BARE = "bare loop in Java, 64 B writes";
    private static final String SUSPENSION = "bare suspendCancellableCoroutine";
    private static final String ENGINE = "engine, 64 B writes";
    private static final String SERIAL = "engine, 64 B writes, one at a time";
    private static final String MONO = "Mono write, pipelined";
    private static final String SUSPENDED = "suspended write, pipelined";
    private static final String FLUX = "scoped send to receive, Flux";
    private static final String FLOW = "scoped send to incoming, Flow";
    private static final String MANY = " endpoints, 16 writes in flight on each";
    private static final String THREADS = " submitting thread(s), total";
    /** Names of the figures, by class, method and parameter as JMH names them. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("ForeignCalls.bound", "call of C, symbol"),
            Map.entry("ForeignCalls.boundCritical", "call of C, symbol, critical"),
            Map.entry("ForeignCalls.pointer", "call of C, pointer"),
            Map.entry("ForeignCalls.pointerCritical", "call of C, pointer, critical"),
            Map.entry("ForeignCalls.pointerErrno", "call of C, pointer, errno kept"),
            Map.entry("BareLoop.writes", BARE),
            Map.entry("EngineWrites.writes 1x128", ENGINE),
            Map.entry("EngineWrites.writes 1x1", SERIAL),
            Map.entry("BareSuspension.suspensions", SUSPENSION),
            Map.entry("EngineWrites.writes 1x16", "1" + MANY),
            Map.entry("EngineWrites.writes 100x16", "100" + MANY),
            Map.entry("EngineWrites.writes 1000x16", "1000" + MANY),
            Map.entry("EngineWrites.writes 10000x16", "10000" + MANY),
            Map.entry("ReactiveWrites.pipelined", MONO),
            Map.entry("ReactiveWrites.oneAtATime", "Mono write, one at a time"),
            Map.entry("ReactiveWrites.flatMap", "Mono write, pipelined by flatMap"),
            Map.entry("ReactiveStream.stream", FLUX),
            Map.entry("SuspendedWrites.pipelined", SUSPENDED),
            Map.entry("SuspendedWrites.oneAtATime", "suspended write, one at a time"),
            Map.entry("SuspendedWrites.stream", FLOW));

    private final BenchOptions options;
    private final String only;
    private final Results results = new Results("engine");
    private @Nullable CompiledC c;

    EngineRun(BenchOptions options, String only) {
        this.options = options;
        this.only = only;
    }

    Results measure() throws Exception {
        Files.createDirectories(options.output());
        if (options.quick()) {
            System.setProperty("jmh.ignoreLock", "true"); // a quick run's figures are not used
        }
        c = CompiledC.compile(options.output().resolve("c")).orElse(null);
        if (c == null) {
            System.out.println("no C compiler (cc) on the path: the device is in Java, and there are no rows of C");
        } else if (options.quick()) { // no forks
            System.setProperty(Devices.LIBRARY, c.library().toString());
        }
        for (int round = 1; round <= options.rounds(); round++) {
            System.out.println("round " + round + " of " + options.rounds());
            if (c != null) {
                results.add(C_WRITES, "ns", c.measure(Program.WRITES));
                results.add(C_SERIAL, "ns", c.measure(Program.SERIAL));
                results.add(C_MESSAGES, "ns", c.measure(Program.MESSAGES));
            }
            run(BareLoop.class, 1, round, "");
            for (Class<?> type : List.of(
                    BareSuspension.class,
                    ForeignCalls.class,
                    EngineWrites.class,
                    ReactiveWrites.class,
                    ReactiveStream.class,
                    SuspendedWrites.class)) {
                run(type, 1, round, only);
            }
            for (int threads : List.of(1, 2, 4)) {
                run(Submission.class, threads, round, only);
            }
        }
        compare();
        return results;
    }

    private void run(Class<?> type, int threads, int round, String filter) throws RunnerException {
        String log = type.getSimpleName() + "-" + threads + "-" + round + ".log";
        Path file = options.output().resolve(log);
        ChainedOptionsBuilder builder = new OptionsBuilder()
                .include("\\." + type.getSimpleName() + "\\." + (filter.isEmpty() ? "" : ".*(" + filter + ").*"))
                .threads(threads)
                .forks(options.quick() ? 0 : 1)
                .warmupIterations(options.quick() ? 0 : 4)
                .measurementIterations(options.quick() ? 1 : 4)
                .warmupTime(TimeValue.milliseconds(options.quick() ? 50 : 500))
                .measurementTime(TimeValue.milliseconds(options.quick() ? 50 : 500))
                .addProfiler(GCProfiler.class)
                .jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "-Xmx1g")
                .shouldFailOnError(true)
                .output(file.toString());
        if (options.quick()) {
            builder = builder.param("shape", "1x128");
        } else if (c != null) {
            builder = builder.jvmArgsAppend("-D" + Devices.LIBRARY + "=" + c.library());
        }
        try {
            for (RunResult result : new Runner(builder.build()).run()) {
                add(result, threads);
            }
        } catch (NoBenchmarksException e) {
            // no benchmark of this class was selected
        }
    }

    @SuppressWarnings("rawtypes") // JMH's signature
    private void add(RunResult result, int threads) {
        String method = result.getParams().getBenchmark().replaceFirst(".*\\.(\\w+\\.\\w+)$", "$1");
        String shape = result.getParams().getParam("shape");
        String name = method.startsWith("Submission")
                ? threads + THREADS
                : NAMES.getOrDefault(shape == null ? method : method + " " + shape, method);
        Map<String, Result> more = result.getSecondaryResults();
        if (method.startsWith("Submission")) {
            results.add(name, "ops/ms", result.getPrimaryResult().getScore());
            return;
        }
        results.add(name, "ns", sum(more, "cpuNanos") / sum(more, "operations"));
        if (method.startsWith("ForeignCalls")) {
            return;
        }
        results.add(
                name + ", by the clock", "clock ns", result.getPrimaryResult().getScore());
        results.add(name + ", allocated", "B", sum(more, "gc.alloc.rate.norm"));
        if (sum(more, "requests") > 0) {
            results.add(name + ", posts for each", "calls", sum(more, "posts") / sum(more, "operations"));
            results.add(name + ", polls for each", "calls", sum(more, "polls") / sum(more, "operations"));
        }
    }

    @SuppressWarnings("rawtypes") // JMH's signature
    private static double sum(Map<String, Result> results, String name) {
        Result found = results.get(name);
        return found == null ? 0 : found.getScore();
    }

    private void compare() {
        results.compare(BARE, C_WRITES);
        results.compare(ENGINE, C_WRITES, Bar.atMost(1.8));
        results.bar(ENGINE + ", allocated", Bar.atMost(0.5));
        results.compare(SERIAL, C_SERIAL, Bar.atMost(2.6));
        results.compare(MONO, C_WRITES, Bar.atMost(2.4));
        results.bar(MONO + ", allocated", Bar.atMost(72.5)); // half a byte is allocated by JMH
        results.compare("Mono write, one at a time", C_SERIAL);
        results.compare("Mono write, pipelined by flatMap", C_WRITES);
        results.compare(SUSPENDED, SUSPENSION, Bar.atMost(1.5));
        results.bar(SUSPENDED + ", allocated", Bar.atMost(145.5));
        results.compare(SUSPENDED, C_WRITES);
        results.compare("suspended write, one at a time", C_SERIAL);
        for (String stream : List.of(FLUX, FLOW)) {
            results.bar(stream + ", allocated", Bar.atMost(0.5));
            results.bar(stream + ", posts for each", Bar.atMost(0.2));
            results.bar(stream + ", polls for each", Bar.atMost(0.2));
            results.compare(stream, C_MESSAGES, stream.equals(FLUX) ? Bar.atMost(1.2) : null);
        }
        results.compare("100" + MANY, "1" + MANY);
        results.compare("1000" + MANY, "1" + MANY, Bar.atMost(1.5));
        results.compare("10000" + MANY, "1" + MANY, Bar.atMost(2));
        results.compare("2" + THREADS, "1" + THREADS);
        results.compare("4" + THREADS, "1" + THREADS, Bar.atLeast(1));
    }
}
