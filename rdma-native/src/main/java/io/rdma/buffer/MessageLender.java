package io.rdma.buffer;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

/**
 * Lender of the messages that arrive in one receive buffer, one after the other, by one handle. The engine makes it.
 */
public final class MessageLender {
    private final IntConsumer giveBack;
    private final int place;
    private final ReceivedMessage handle;

    /**
     * Creates the lender of one receive buffer.
     *
     * @param giveBack runs once for each message, at its close, with the place
     * @param place of the receive buffer
     */
    public MessageLender(IntConsumer giveBack, int place) {
        this.giveBack = giveBack;
        this.place = place;
        this.handle = new ReceivedMessage(giveBack, place);
    }

    /**
     * Opens the handle for a message, or makes a new handle if the {@link LeakDetector} is paranoid. The previous
     * message is closed, since the caller has the receive buffer.
     *
     * @param memory where the message arrived; its first bytes are the message
     * @param length of the message
     * @param hasImmediate whether the peer sent immediate data
     * @param hasInvalidatedKey whether the peer sent with invalidate
     * @param data the immediate data in host order, or the key
     * @return an open message
     */
    public ReceivedMessage lend(
            MemorySegment memory, int length, boolean hasImmediate, boolean hasInvalidatedKey, int data) {
        if (LeakDetector.isParanoid()) {
            return new ReceivedMessage(memory, length, hasImmediate, hasInvalidatedKey, data, giveBack, place);
        }
        handle.open(memory, length, hasImmediate, hasInvalidatedKey, data);
        return handle;
    }
}
