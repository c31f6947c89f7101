package io.rdma.samples.pipeline;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** One stage in this process: its reports, its input, and its end when it is asked to end. */
final class PipelineStage {
    /** Begins the line that says where a stage listens. */
    static final String LISTENING = "listening on port ";
    /** Begins the last line of a stage that did its part. */
    static final String DONE = "done: ";

    private PipelineStage() {}

    /**
     * Runs it.
     *
     * @param report closed at the end
     * @param owned whether the process ends when its standard input does
     * @param enter what a line on standard input does
     * @param stop makes it end soon; called when the process is asked to end, which then waits for the stage
     * @param stopSeconds how long it does
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
                    System.err.println("no end of the stream came within " + stopSeconds + " s");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        Thread.ofPlatform().daemon().name("pipeline-input").start(() -> listen(owned, enter));
        try (report) {
            Message.End end = stage.get();
            report.close(); // the last report comes before the last line
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
            // as the end
        }
        if (owned) {
            System.exit(1);
        }
    }
}
