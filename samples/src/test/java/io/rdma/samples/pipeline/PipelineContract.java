package io.rdma.samples.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.samples.Main;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Contract of a pipeline whose stages are processes of their own. The tests are the same for every device. They compare
 * counts, never times.
 */
@Timeout(900)
abstract class PipelineContract {
    private static final int BUFFERS = 16;
    private static final Pattern DONE = Pattern.compile("(?m)^done: (.*)$");

    private final List<JavaProcess> running = new ArrayList<>();

    @TempDir
    private Path plots;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns the languages of the three stages, for each run. A subclass may hide this method with its own. */
    static List<Arguments> languages() {
        return List.of(Arguments.of("java", "kotlin", "java"), Arguments.of("kotlin", "java", "kotlin"));
    }

    @BeforeEach
    void needsTheDevice() {
        TestDevice.assumed(device());
    }

    @AfterEach
    void end() {
        running.forEach(JavaProcess::close);
    }

    JavaProcess run(List<String> more, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("pipeline"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--device", device(), "--buffers", Integer.toString(BUFFERS)));
        all.addAll(more);
        JavaProcess process = new JavaProcess(Main.class, all.toArray(String[]::new));
        running.add(process);
        return process;
    }

    /** Starts a stage. The transform and the sink listen on a free port; the producer does not listen. */
    JavaProcess stage(Stage stage, String language, String nextPort, String... more) throws IOException {
        String host = TestDevice.host(device());
        List<String> connecting = stage == Stage.SINK
                ? List.of("--host", host, "--port", "0")
                : stage == Stage.PRODUCER
                        ? List.of("--to-host", host, "--to-port", nextPort)
                        : List.of("--host", host, "--port", "0", "--to-host", host, "--to-port", nextPort);
        List<String> all = new ArrayList<>(connecting);
        all.addAll(List.of(more));
        return run(all, stage.command(), "--language", language, "--report", "100");
    }

    /** Returns the folder for the plots of this test. */
    String plots() {
        return plots.toString();
    }

    static String port(JavaProcess listening) throws InterruptedException {
        return listening.await("listening on port");
    }

    /**
     * A sink that pauses stops the producer, two processes away, when the buffers and credits between them are used up.
     * After the pause all blocks arrive.
     */
    @ParameterizedTest(name = "{0} producer, {1} transform, {2} sink")
    @MethodSource("languages")
    void theProducerStopsWhenTheBuffersOnTheWayAreFull(String producing, String transforming, String sinking)
            throws Exception {
        int taken = 100;
        JavaProcess sink = stage(Stage.SINK, sinking, "", "--pause-at", Integer.toString(taken));
        JavaProcess transform = stage(Stage.TRANSFORM, transforming, port(sink));
        JavaProcess producer = stage(Stage.PRODUCER, producing, port(transform), "--count", "3000");
        sink.await("standing still after " + taken + " blocks");

        long most = new Hop(device(), BUFFERS, 0).most();
        StageReport stopped = standing(producer, taken + most / 2);
        assertThat(stopped.blocks()).isLessThanOrEqualTo(taken + most);
        assertThat(stopped.waiting()).isLessThanOrEqualTo(BUFFERS);
        assertThat(sink.output()).as("none was taken meanwhile").doesNotContain("sink: " + (taken + 1));

        sink.enter();
        assertThat(done(producer.ended(0)))
                .startsWith("3000 blocks, checksum ")
                .isEqualTo(done(transform.ended(0)))
                .isEqualTo(done(sink.ended(0)));
    }

    /**
     * Waits until the producer has stopped, and returns its report. The report has at least a number of blocks, no more
     * than the one before, and a message that waits for a credit. Without such a message, the producer may merely lack
     * processor time.
     */
    private static StageReport standing(JavaProcess producer, long least) throws InterruptedException {
        StageReport before = null;
        while (true) {
            String line =
                    producer.await("a report", text -> StageReport.parse(text).isPresent());
            StageReport report = StageReport.parse(line).orElseThrow();
            if (before != null
                    && before.blocks() == report.blocks()
                    && report.blocks() >= least
                    && report.starvations() > 0
                    && report.waiting() > 0) {
                return report;
            }
            before = report;
        }
    }

    private static String done(JavaProcess ended) {
        Matcher matcher = DONE.matcher(ended.output());
        assertThat(matcher.find()).as(ended.output()).isTrue();
        return matcher.group(1);
    }

    @Test
    void oneCommandRunsChecksAndDrawsAllOfIt() throws Exception {
        JavaProcess all = run(
                List.of("--count", "2000", "--sink-rate", "1000", "--plot", plots()),
                "--language",
                "kotlin,java,kotlin");
        assertThat(all.ended(0).output())
                .contains("all came once, in order and unchanged: 2000 blocks, checksum ")
                .contains("the producer was never more than 67 blocks ahead of the sink")
                .containsPattern("\\[#{30}] 2000/2000  producer +\\d+/s .* credits\\)  transform .* sink +\\d+/s");
        assertThat(plots.resolve("pipeline.png")).isNotEmptyFile();
    }
}
