package io.rdma.buffer;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

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
     * Opens the handle for a message. Makes a new handle if the message before is still open, or if the
     * {@link LeakDetector} is paranoid.
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
        if (!handle.isClosed() || LeakDetector.isParanoid()) {
            return new ReceivedMessage(memory, length, hasImmediate, hasInvalidatedKey, data, giveBack, place);
        }
        handle.open(memory, length, hasImmediate, hasInvalidatedKey, data);
        return handle;
    }

    /**
     * Opens the handle for a message, but not the last one, of a receive buffer with several. Its close does not give
     * the buffer back: {@link #keepIfOpen} tells whether it was closed.
     *
     * @param bytes the message
     * @return an open message, or null if the handle cannot be used: the message before is still open, or the
     *     {@link LeakDetector} is paranoid
     */
    public @Nullable ReceivedMessage lendOneOfSeveral(MemorySegment bytes) {
        if (!handle.isClosed() || LeakDetector.isParanoid()) {
            return null;
        }
        handle.lend(bytes);
        return handle;
    }

    /**
     * Ends the lending of a message of {@link #lendOneOfSeveral}, before the next message in its receive buffer is taken.
     *
     * @return false if it was closed, without notice; true if it is open, and will give the buffer back at its close
     */
    public boolean keepIfOpen() {
        return handle.keep();
    }
}
