package io.rdma.samples.pipeline;

import static java.net.InetSocketAddress.createUnresolved;

import io.rdma.samples.support.Language;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A stream through three processes. The command runs all of them, or one. */
@Command(
        name = "pipeline",
        mixinStandardHelpOptions = true,
        description = "Producer, transform and sink in three processes; watch demand travel back from a slow sink.")
public final class Pipeline implements Callable<Integer> {
    /** The range of blocks that the sink takes slowly. */
    enum Slow {
        never,
        middle,
        always
    }

    private static final String NO_PAUSE = "-1";
    /** Time for the blocks on the way after the producer was asked to end. All stages still work on them. */
    private static final int ORDERLY_SECONDS = 120;
    /** Time for the end of the stream, which comes only if the producer was asked to end too. */
    private static final int ALONE_SECONDS = 10;

    /** The command line of which this is a command. Its processes run the stages. */
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private HopOptions hop = new HopOptions();

    @Option(
            names = "--language",
            split = ",",
            defaultValue = "java",
            description = "${COMPLETION-CANDIDATES}; one for all stages, or three separated by commas.")
    private List<Language> languages = List.of();

    @Option(names = "--count", defaultValue = "60000", description = "Blocks; default: ${DEFAULT-VALUE}.")
    private long count;

    @Option(
            names = "--slow",
            defaultValue = "middle",
            description = "Which third of the blocks the sink takes slowly, ${COMPLETION-CANDIDATES}; default: middle.")
    private Slow slow = Slow.middle;

    @Option(
            names = "--sink-rate",
            defaultValue = "4000",
            description = "Blocks per second that a slow sink takes; default: ${DEFAULT-VALUE}.")
    private int rate;

    @Option(
            names = "--pause-at",
            defaultValue = NO_PAUSE,
            paramLabel = "BLOCK",
            description = "The sink stands still before this block, until Enter is pressed.")
    private long pauseAt;

    @Option(
            names = "--plot",
            defaultValue = "target/pipeline",
            paramLabel = "FOLDER",
            description = "Folder for the plot; default: ${DEFAULT-VALUE}.")
    private Path plots = Path.of("target", "pipeline");

    private Pipeline() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (count < 1 || languages.size() != 1 && languages.size() != Stage.values().length) {
            throw new IllegalArgumentException(
                    "--count must be at least 1, and --language must name 1 or 3: " + count + ", " + languages);
        }
        long from = slow == Slow.middle ? count / 3 : 0;
        long to = slow == Slow.middle ? count - count / 3 : slow == Slow.always ? count : 0;
        PipelineRun run = new PipelineRun(spec.root().userObject().getClass(), hop.hop(), count, plots);
        return run.run(stage -> command(stage, from, to));
    }

    /** Returns the command line of a stage, without the address to which it connects. */
    private List<String> command(Stage stage, long slowFrom, long slowTo) {
        Language language = languages.get(languages.size() == 1 ? 0 : stage.ordinal());
        return switch (stage) {
            case PRODUCER -> joined(stage, language, "--count", count);
            case TRANSFORM -> joined(stage, language, "--host", "127.0.0.1", "--port", 0);
            case SINK ->
                joined(
                        stage,
                        language,
                        "--host",
                        "127.0.0.1",
                        "--port",
                        0,
                        "--sink-rate",
                        rate,
                        "--slow-from",
                        slowFrom,
                        "--slow-to",
                        slowTo,
                        "--pause-at",
                        pauseAt);
        };
    }

    private List<String> joined(Stage stage, Language language, Object... own) {
        java.util.stream.Stream<String> all = java.util.stream.Stream.of(
                        List.of("pipeline", stage.command()),
                        hop.arguments(),
                        StageOptions.arguments(language, PipelineRun.REPORT_MILLIS),
                        List.of(own))
                .flatMap(part -> part.stream().map(Object::toString));
        return all.toList();
    }

    @Command(
            name = "producer",
            mixinStandardHelpOptions = true,
            description = "Make blocks, and end after the last one. Ctrl-C ends the stream early.")
    int producer(
            @Mixin StageOptions options,
            @Option(names = "--to-host", defaultValue = "localhost") String nextHost,
            @Option(names = "--to-port", defaultValue = "7473") int nextPort,
            @Option(names = "--count", defaultValue = "60000") long blocks) {
        Walk walk = new Walk(blocks, options.hop().samples());
        StageReporter report = options.reporter(Stage.PRODUCER);
        return PipelineStage.run(
                report,
                options.owned(),
                () -> {},
                walk::stop,
                ORDERLY_SECONDS,
                () -> options.stages()
                        .produce(options.hop().hop(), createUnresolved(nextHost, nextPort), walk, report));
    }

    @Command(
            name = "transform",
            mixinStandardHelpOptions = true,
            description = "Receive blocks, send their differences, and end after the last one.")
    int transform(
            @Mixin StageOptions options,
            @Option(names = "--host", defaultValue = "0.0.0.0") String host,
            @Option(names = "--port", defaultValue = "7473") int port,
            @Option(names = "--to-host", defaultValue = "localhost") String nextHost,
            @Option(names = "--to-port", defaultValue = "7474") int nextPort) {
        StageReporter report = options.reporter(Stage.TRANSFORM);
        return PipelineStage.run(
                report,
                options.owned(),
                () -> {},
                () -> {},
                ALONE_SECONDS,
                () -> options.stages()
                        .transform(
                                options.hop().hop(),
                                createUnresolved(host, port),
                                createUnresolved(nextHost, nextPort),
                                new Deltas(),
                                report));
    }

    @Command(
            name = "sink",
            mixinStandardHelpOptions = true,
            description = "Receive and check blocks at a given pace, and end after the last one.")
    int sink(
            @Mixin StageOptions options,
            @Option(names = "--host", defaultValue = "0.0.0.0") String host,
            @Option(names = "--port", defaultValue = "7474") int port,
            @Option(names = "--sink-rate", defaultValue = "4000", description = "Blocks per second when it is slow.")
                    int perSecond,
            @Option(names = "--slow-from", defaultValue = "0", description = "First block that it takes slowly.")
                    long slowFrom,
            @Option(names = "--slow-to", defaultValue = "0", description = "First block after these.") long slowTo,
            @Option(
                            names = "--pause-at",
                            defaultValue = NO_PAUSE,
                            description = "Block before which it stands still until Enter is pressed.")
                    long pausingAt) {
        Pace pace = new Pace(slowFrom, slowTo, perSecond, pausingAt);
        StageReporter report = options.reporter(Stage.SINK);
        return PipelineStage.run(
                report,
                options.owned(),
                pace::resume,
                pace::hurry,
                ALONE_SECONDS,
                () -> options.stages()
                        .sink(options.hop().hop(), createUnresolved(host, port), pace, new Checker(), report));
    }
}
