package io.rdma.internal.loop;

import io.rdma.internal.close.CleanupStack;
import io.rdma.verbs.CompletionQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Entries of a completion queue that one queue pair or shared receive queue may fill, see {@link
 * CompletionLoop#reserve}. Thread-safe.
 */
public final class CompletionReservation implements AutoCloseable {
    private final CompletionLoop loop;
    private final CompletionQueues.Polled polled;
    private final int entries;
    private final AtomicBoolean closed = new AtomicBoolean();

    CompletionReservation(CompletionLoop loop, CompletionQueues.Polled polled, int entries) {
        this.loop = loop;
        this.polled = polled;
        this.entries = entries;
    }

    /**
     * Reserves a completion queue that nothing else uses, and that is destroyed when the reservation is closed. May not
     * be called on the loop.
     *
     * @param loop polls the queue
     * @param entries of it
     * @return the reservation, to be closed on the loop once a completion may have come
     * @throws IllegalStateException if there is no room; its message names the limit
     */
    public static CompletionReservation ofOwnQueue(CompletionLoop loop, int entries) {
        loop.requireLive();
        try (CleanupStack cleanup = new CleanupStack()) {
            CompletionReservation made =
                    cleanup.add(new CompletionReservation(loop, loop.queues().reserveOwn(entries), entries));
            loop.wakeUp(); // it may sleep without having armed the queue
            cleanup.keep();
            return made;
        }
    }

    /**
     * Returns the loop that polls the queue.
     *
     * @return the loop, running
     */
    public CompletionLoop loop() {
        return loop;
    }

    /**
     * Returns the completion queue for the sends and receives of the queue pair.
     *
     * @return the queue, polled by the loop alone
     */
    public CompletionQueue queue() {
        return polled.queue();
    }

    /**
     * Returns the number of reserved entries.
     *
     * @return the number of work requests that may be in flight
     */
    public int entries() {
        return entries;
    }

    /** Gives the entries back, after the queue pair is destroyed. A second call does nothing. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        if (!polled.isOwn()) {
            loop.queues().release(polled, entries);
        } else if (loop.isLoopThread()) {
            loop.queues().remove(polled);
        } else {
            loop.execute(() -> loop.queues().remove(polled)); // which may be polling it
        }
    }
}
