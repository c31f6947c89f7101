package io.rdma.samples.pipeline;

import io.rdma.engine.RdmaEndpoint;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Invariant: the last report that is printed has the final counts.

/** Reporter of a stage: counts its messages, and prints the counts periodically. Any thread. */
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
     * Reports that the stage listens.
     *
     * @param port on which it listens
     */
    public void listening(int port) {
        System.out.println(PipelineStage.LISTENING + port);
    }

    /**
     * Starts reporting. The stage is connected to its neighbours.
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
     * Counts a message that was made, received or finished.
     *
     * @param message an end is not counted
     */
    public void count(Message message) {
        if (message instanceof Message.Block) {
            blocks.incrementAndGet();
        }
    }

    StageReport report() {
        RdmaEndpoint sending = next;
        RdmaEndpoint receiving = before;
        // Reports of several stages are compared with each other. At this time the producer had made at least the
        // reported number of blocks, and each other stage had finished at most the reported number.
        long madeBefore = blocks.get();
        long micros = System.nanoTime() / 1000;
        return new StageReport(
                stage,
                micros,
                stage == Stage.PRODUCER ? madeBefore : blocks.get(),
                sending == null ? 0 : sending.sendBuffers().leased(),
                receiving == null ? 0 : Math.max(0, receiving.receiveBuffers() - receiving.outstandingReceives()),
                sending == null ? 0 : sending.counters().creditWaits());
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
