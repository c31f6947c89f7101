package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.JavaProcess;
import io.rdma.testing.Stress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.openjdk.jcstress.Main;
import org.openjdk.jcstress.infra.collectors.DiskReadCollector;
import org.openjdk.jcstress.infra.collectors.InProcessCollector;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.TestList;

/**
 * Run of jcstress on the code that relies on release, acquire and fences, where the model checker sees no reordering.
 * Each race of {@code src/jcstress} is a test. The compiler orders instructions at random within the limits of the
 * memory model.
 */
@Tag("model")
class MemoryOrderTest {
    private static final int MILLIS = 250;
    private static final int ITERATIONS = 3;

    @TestFactory
    Stream<DynamicTest> noForbiddenOutcome() throws Exception {
        assertThat(TestList.tests())
                .as("races that the build listed: ./mvnw clean if it compiled only some of them again")
                .hasSize(races());
        Path directory = Files.createDirectories(Path.of("target", "jcstress"));
        clear(directory);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-classpath",
                        absolute(JavaProcess.classPath()),
                        Main.class.getName(),
                        "-r",
                        "report",
                        "-f",
                        "1",
                        "-iters",
                        String.valueOf(Stress.times(ITERATIONS)),
                        "-time",
                        String.valueOf(MILLIS),
                        "-hs",
                        "256",
                        "-sc",
                        "false",
                        "-af",
                        "NONE",
                        "-jvmArgs",
                        "-XX:+UseSerialGC -XX:-TieredCompilation -XX:+UnlockDiagnosticVMOptions -XX:+StressLCM -XX:+StressGCM")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.txt").toFile())
                .start();
        try {
            assertThat(process.waitFor(Stress.times(10), TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        Collection<TestResult> results = results(directory);
        assertThat(results)
                .as(() -> output(directory))
                .extracting(TestResult::getName)
                .containsAll(TestList.tests());
        return results.stream()
                .map(result -> DynamicTest.dynamicTest(result.getName(), () -> {
                    assertThat(result.grading().failureMessages)
                            .as(() -> described(result))
                            .isEmpty();
                    assertThat(result.grading().isPassed)
                            .as(() -> described(result))
                            .isTrue();
                }));
    }

    /** Counts the races in the sources. A build that compiles only some of them again lists only those. */
    private static int races() throws IOException {
        int races = 0;
        try (Stream<Path> sources = Files.walk(Path.of("src", "jcstress"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                races += Files.readString(source).split("@JCStressTest").length - 1;
            }
        }
        return races;
    }

    private static String described(TestResult result) {
        return result.getName() + ": " + result.status() + ", saw " + result.getStateKeys() + " " + result.getMessages()
                + " " + result.getVmErr();
    }

    private static String absolute(String classPath) {
        return Stream.of(classPath.split(":"))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .reduce((a, b) -> a + ":" + b)
                .orElseThrow();
    }

    private static void clear(Path directory) throws IOException {
        for (Path old : found(directory)) {
            Files.delete(old);
        }
    }

    private static List<Path> found(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("jcstress-results"))
                    .toList();
        }
    }

    private static Collection<TestResult> results(Path directory) throws IOException, ClassNotFoundException {
        InProcessCollector collector = new InProcessCollector();
        for (Path file : found(directory)) {
            DiskReadCollector reader = new DiskReadCollector(file.toString(), collector);
            reader.dump();
            reader.close();
        }
        return collector.getTestResults();
    }

    private static String output(Path directory) {
        try {
            return Files.readString(directory.resolve("output.txt"));
        } catch (IOException e) {
            return e.toString();
        }
    }
}
