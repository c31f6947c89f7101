package io.rdma.samples.pipeline;

import io.rdma.samples.support.ChildJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * A run of the three stages in processes of their own on this host. It starts and watches them, and judges the result.
 */
final class PipelineRun {
    /** Interval between reports of a stage, in milliseconds. */
    static final int REPORT_MILLIS = 100;

    private static final int END_SECONDS = 60;

    private final Class<?> program;
    private final Hop hop;
    private final long count;
    private final Path plots;
    private final PipelineWatch watch;
    private final Map<Stage, StageProcess> processes = new EnumMap<>(Stage.class);

    /**
     * Prepares a run.
     *
     * @param program the command line that has the commands of the stages
     */
    PipelineRun(Class<?> program, Hop hop, long count, Path plots) {
        this.program = program;
        this.hop = hop;
        this.count = count;
        this.plots = plots;
        this.watch = new PipelineWatch(count);
    }

    /**
     * Runs the stages to the end.
     *
     * @param command of each stage, without the address to which it connects
     * @return exit status
     */
    int run(Function<Stage, List<String>> command) throws IOException, InterruptedException {
        System.out.println("device " + hop.device() + ", three processes; between producer and sink are at most "
                + hop.most() + " of " + count + " blocks");
        CountDownLatch judged = new CountDownLatch(1);
        try {
            StageProcess sink = start(Stage.SINK, command, List.of());
            StageProcess transform = start(Stage.TRANSFORM, command, connecting(sink));
            StageProcess producer = start(Stage.PRODUCER, command, connecting(transform));
            stopping(producer, sink, judged);
            forwardEnter(sink);
            return judge(List.of(producer, transform, sink));
        } finally {
            processes.values().forEach(StageProcess::close);
            System.out.flush();
            judged.countDown();
        }
    }

    private StageProcess start(Stage stage, Function<Stage, List<String>> command, List<String> more)
            throws IOException {
        List<String> arguments = new ArrayList<>(command.apply(stage));
        arguments.addAll(more);
        StageProcess process =
                new StageProcess(stage, ChildJvm.of(ChildJvm.ownOptions(), program, arguments), watch::report);
        processes.put(stage, process);
        return process;
    }

    private static List<String> connecting(StageProcess next) throws IOException, InterruptedException {
        return List.of("--to-host", "127.0.0.1", "--to-port", Integer.toString(next.port()));
    }

    /**
     * Handles a request to end this process: the producer ends the stream, and the blocks on the way are still checked.
     */
    private static void stopping(StageProcess producer, StageProcess sink, CountDownLatch judged) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            producer.stop();
            try {
                sink.enter(); // ends a pause
                judged.await(2 * END_SECONDS, TimeUnit.SECONDS);
            } catch (IOException e) {
                // the sink has ended
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    private static void forwardEnter(StageProcess sink) {
        Thread.ofPlatform().daemon().name("pipeline-input").start(() -> {
            try {
                int next;
                while ((next = System.in.read()) >= 0) {
                    if (next == '\n') {
                        sink.enter();
                    }
                }
            } catch (IOException e) {
                // standard input is closed, or the sink has ended
            }
        });
    }

    private int judge(List<StageProcess> stages) throws InterruptedException {
        List<StageProcess> endings = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> settled = new CompletableFuture<>();
        stages.forEach(stage -> stage.ended().thenAccept(ended -> {
            endings.add(ended);
            if (ended.done() == null || endings.size() == stages.size()) {
                settled.complete(null);
            }
        }));
        settled.join();
        for (StageProcess stage : stages) { // the neighbours of a failed stage notice the failure themselves
            stage.awaitEnd(END_SECONDS);
        }
        watch.finish();
        watch.plot(plots, hop);
        for (StageProcess ended : endings) {
            if (ended.done() == null) {
                System.out.println("the " + ended.stage().command() + " failed first, with status " + ended.status());
                return 1;
            }
        }
        if (endings.size() < stages.size()) {
            System.out.println("a stage did not end within " + END_SECONDS + " s");
            return 1;
        }
        System.out.println(
                "all came once, in order and unchanged: " + endings.getFirst().done());
        long ahead = watch.breach(hop.most());
        System.out.println(
                ahead == 0
                        ? "the producer was never more than " + hop.most() + " blocks ahead of the sink"
                        : "the producer was " + ahead + " blocks ahead of the sink, more than " + hop.most());
        return ahead == 0 ? 0 : 1;
    }
}
