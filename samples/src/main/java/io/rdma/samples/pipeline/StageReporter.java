package io.rdma.samples.pipeline;

import io.rdma.engine.RdmaEndpoint;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Invariant: the last line that it prints has the last counts.

/** Counts what a stage does, and prints it from time to time. Any thread. */
public final class StageReporter implements AutoCloseable {
    private final Stage stage;
    private final Duration every;
    private final AtomicLong blocks = new AtomicLong();
    private volatile @Nullable RdmaEndpoint before;
    private volatile @Nullable RdmaEndpoint next;
    private @Nullable Thread printing;

    StageReporter(Stage stage, Duration every) {
        this.stage = stage;
        this.every = every;
    }

    /**
     * The stage listens.
     *
     * @param port where
     */
    public void listening(int port) {
        System.out.println(PipelineStage.LISTENING + port);
    }

    /**
     * The stage is connected to those beside it.
     *
     * @param toBefore to the stage before; null for the first one
     * @param toNext to the next stage; null for the last one
     */
    public synchronized void connected(@Nullable RdmaEndpoint toBefore, @Nullable RdmaEndpoint toNext) {
        before = toBefore;
        next = toNext;
        printing = Thread.startVirtualThread(this::print);
    }

    /**
     * A message was made, received or done with.
     *
     * @param message an end does not count
     */
    public void count(Message message) {
        if (message instanceof Message.Block) {
            blocks.incrementAndGet();
        }
    }

    StageReport report() {
        RdmaEndpoint sending = next;
        RdmaEndpoint receiving = before;
        // Compared with each other: by then the producer had made at least as many, the others had done at most as
        // many.
        long madeBefore = blocks.get();
        long micros = System.nanoTime() / 1000;
        return new StageReport(
                stage,
                micros,
                stage == Stage.PRODUCER ? madeBefore : blocks.get(),
                sending == null ? 0 : sending.sendBuffers().leased(),
                receiving == null
                        ? 0
                        : Math.max(
                                0,
                                receiving.options().receiveBuffers()
                                        - receiving.receives().outstanding()),
                sending == null ? 0 : sending.loop().counters().creditWaits());
    }

    private void print() {
        try {
            while (true) {
                System.out.println(report());
                Thread.sleep(every);
            }
        } catch (InterruptedException closed) {
            System.out.println(report());
        }
    }

    @Override
    public synchronized void close() {
        Thread thread = printing;
        if (thread != null) {
            thread.interrupt();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
