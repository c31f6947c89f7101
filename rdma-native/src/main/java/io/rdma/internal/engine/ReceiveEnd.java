package io.rdma.internal.engine;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

// Invariants
// - The application gives up what it has not received before any of it is dropped. So a receiver that misses a dropped
// message finds the reason here.
// - The first call decides: an abort behind a close changes nothing, since the receiver may have got its end already.

/**
 * End of a receiver, and the reason for it. It differs from the end of the connection if the application closes or
 * aborts a connection that the peer has ended before: messages that are not delivered yet are dropped then.
 */
public final class ReceiveEnd {
    /** Call by which the application gave up the messages. {@code cause} is null if it closed, not aborted. */
    private record GivenUp(@Nullable Throwable cause) {}

    private final MessageSource source;
    private final AtomicReference<@Nullable GivenUp> givenUp = new AtomicReference<>();

    /**
     * Creates the end of a receiver, which has not come yet.
     *
     * @param source of the messages
     */
    public ReceiveEnd(MessageSource source) {
        this.source = source;
    }

    /**
     * Gives up the messages that are not delivered, because the application closes or aborts the connection. Only the
     * first call counts. Any thread.
     *
     * @param cause of the abort; null for a close
     */
    public void giveUp(@Nullable Throwable cause) {
        givenUp.compareAndSet(null, new GivenUp(cause));
    }

    /**
     * Returns whether the messages that are not delivered are to be dropped.
     *
     * @return true after the first {@link #giveUp}
     */
    public boolean isGivenUp() {
        return givenUp.get() != null;
    }

    /**
     * Returns the failure by which the receiver ends, once the receive queue has terminated.
     *
     * @return the failure of the connection, or the cause of an abort behind its orderly end; null if the receiver
     *     completes
     */
    public @Nullable Throwable failure() {
        Throwable failure = source.failure();
        GivenUp now = givenUp.get();
        return failure == null && now != null ? now.cause() : failure;
    }
}
