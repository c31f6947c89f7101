package io.rdma.samples.pipeline;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A stage that runs in this process, with its reports, its standard input, and its reaction to a request to end. */
final class PipelineStage {
    /** Start of the line with the port on which a stage listens. */
    static final String LISTENING = "listening on port ";
    /** Start of the last line of a stage that succeeded. */
    static final String DONE = "done: ";

    private PipelineStage() {}

    /**
     * Runs a stage.
     *
     * @param report closed at the end
     * @param owned whether the process ends when its standard input does
     * @param enter runs for each line on standard input
     * @param stop makes the stage end soon; called when the process is asked to end, which then waits for the stage
     * @param stopSeconds how long the process waits for the stage
     * @param stage the work
     * @return exit status
     */
    static int run(
            StageReporter report,
            boolean owned,
            Runnable enter,
            Runnable stop,
            int stopSeconds,
            Supplier<Message.End> stage) {
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.run();
            try {
                if (!ended.await(stopSeconds, TimeUnit.SECONDS)) {
                    System.err.println("the stream did not end within " + stopSeconds + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        Thread.ofPlatform().daemon().name("pipeline-input").start(() -> listen(owned, enter));
        try (report) {
            Message.End end = stage.get();
            report.close(); // the last report precedes the last line
            System.out.println(DONE + end);
            return 0;
        } finally {
            System.out.flush();
            ended.countDown();
        }
    }

    private static void listen(boolean owned, Runnable enter) {
        try {
            int next;
            while ((next = System.in.read()) >= 0) {
                if (next == '\n') {
                    enter.run();
                }
            }
        } catch (IOException e) {
            // treated like the end of the input
        }
        if (owned) {
            System.exit(1);
        }
    }
}
