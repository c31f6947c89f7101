package io.rdma.internal.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

// Invariant: nothing counts once the close has begun. The close itself ends the streams that it cuts, and a stream that
// begins later sends nothing. So the streams that had begun and not ended when the close began are those that are
// counted when the loop chooses the farewell.

/** Number of message streams of a connection that have begun and not ended. */
final class OpenStreams {
    private final BooleanSupplier closing;
    private final AtomicInteger count = new AtomicInteger();

    /**
     * Creates a counter at zero.
     *
     * @param closing whether the close of the connection has begun
     */
    OpenStreams(BooleanSupplier closing) {
        this.closing = closing;
    }

    void begun() {
        if (!closing.getAsBoolean()) {
            count.incrementAndGet();
        }
    }

    void ended() {
        if (!closing.getAsBoolean()) {
            count.decrementAndGet();
        }
    }

    boolean any() {
        return count.get() > 0;
    }
}
