package io.rdma.internal.loop;

import io.rdma.verbs.CompletionQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** Entries of a completion queue that one queue pair may fill, see {@link CompletionLoop#reserve}. Thread-safe. */
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
        if (closed.compareAndSet(false, true)) {
            loop.queues().release(polled, entries);
        }
    }
}
