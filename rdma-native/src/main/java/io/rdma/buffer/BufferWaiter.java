package io.rdma.buffer;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Waiter for a buffer of a {@link BufferPool}. Exactly one of {@link #acquired}, {@link #failed} and a successful
 * {@link #abandon} happens.
 */
public abstract class BufferWaiter {
    private final AtomicBoolean claimed = new AtomicBoolean();

    private final boolean exclusive;

    /** Creates a waiter for a buffer that may be passed to code outside the engine. */
    protected BufferWaiter() {
        this(false);
    }

    /**
     * Creates a waiter; the front-ends subclass it.
     *
     * @param exclusive whether the waiter passes the buffer to the engine only and closes it exactly once, as described
     *     at {@link RegisteredBuffer#place}
     */
    protected BufferWaiter(boolean exclusive) {
        this.exclusive = exclusive;
    }

    final boolean isExclusive() {
        return exclusive;
    }

    final boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    /** Returns whether it will not be served any more: it was served, or it stopped waiting. */
    final boolean isAbandoned() {
        return claimed.get();
    }

    /**
     * Stops waiting.
     *
     * @return false if a buffer or a failure was delivered, or is being delivered
     */
    public final boolean abandon() {
        return claim();
    }

    /**
     * Receives a buffer, which the waiter owns from now on. Runs on a thread that asks for a buffer, gives one back, or
     * adds buffers to the pool. Must not block.
     *
     * @param buffer to be closed
     */
    public abstract void acquired(RegisteredBuffer buffer);

    /**
     * Receives the failure: there will be no buffer.
     *
     * @param error the reason
     */
    public abstract void failed(RuntimeException error);
}
