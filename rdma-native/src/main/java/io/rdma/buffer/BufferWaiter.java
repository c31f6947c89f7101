package io.rdma.buffer;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Someone who waits for a buffer of a {@link BufferPool}: exactly one of {@link #acquired}, {@link #failed} and a
 * successful {@link #abandon} happens.
 */
public abstract class BufferWaiter {
    private final AtomicBoolean claimed = new AtomicBoolean();

    private final boolean exclusive;

    /** For a buffer that is handed on. */
    protected BufferWaiter() {
        this(false);
    }

    /**
     * Subclassed by the front-ends.
     *
     * @param exclusive whether it hands the buffer to nobody but the engine, and closes it exactly once: see
     *     {@link RegisteredBuffer#place}
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

    /** Whether it will not be served, because it was, or because it does not wait any more. */
    final boolean isAbandoned() {
        return claimed.get();
    }

    /**
     * Stops waiting.
     *
     * @return false if a buffer or failure was, or is being, handed over
     */
    public final boolean abandon() {
        return claim();
    }

    /**
     * A buffer; the waiter owns it. On the caller's thread or on the thread that gave a buffer back; must not block.
     *
     * @param buffer to be closed
     */
    public abstract void acquired(RegisteredBuffer buffer);

    /**
     * There will be none.
     *
     * @param error why
     */
    public abstract void failed(RuntimeException error);
}
