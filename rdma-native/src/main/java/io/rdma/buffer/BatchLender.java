package io.rdma.buffer;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lender of messages that share receive buffers, or whose receive buffers many connections share. It lends a few
 * handles in turn, so a handle that was kept fails while the others are lent. The engine makes it, for one connection.
 */
public final class BatchLender {
    private final IntConsumer giveBack;
    private final int count;
    private @Nullable ReceivedMessage @Nullable [] handles; // made for the first message: most connections are idle
    private int next;

    /**
     * Creates the lender of a connection.
     *
     * @param giveBack runs once for each message whose close is not counted by {@link #keepIfOpen}, with the place
     * @param count number of handles
     */
    public BatchLender(IntConsumer giveBack, int count) {
        this.giveBack = giveBack;
        this.count = count;
    }

    /**
     * Opens a handle for one of several messages in a receive buffer. Unless it is the last one to be taken, its close
     * does not give the buffer back: {@link #keepIfOpen} tells whether it was closed.
     *
     * @param memory where the messages arrived
     * @param offset of the message
     * @param length of the message
     * @param place of the receive buffer
     * @param last whether the others have been taken
     * @return an open message, or null if the {@link LeakDetector} is paranoid: then each message has its own handle
     */
    public @Nullable ReceivedMessage lend(MemorySegment memory, int offset, int length, int place, boolean last) {
        ReceivedMessage handle = nextHandle(place);
        if (handle != null) {
            handle.openShared(memory, offset, length, place, !last);
        }
        return handle;
    }

    /**
     * Opens a handle for the only message in a receive buffer.
     *
     * @param memory where the message arrived; its first bytes are the message
     * @param length of the message
     * @param hasImmediate whether the peer sent immediate data
     * @param hasInvalidatedKey whether the peer sent with invalidate
     * @param data the immediate data in host order, or the key
     * @param place of the receive buffer
     * @return an open message, or null if the {@link LeakDetector} is paranoid
     */
    public @Nullable ReceivedMessage lend(
            MemorySegment memory, int length, boolean hasImmediate, boolean hasInvalidatedKey, int data, int place) {
        ReceivedMessage handle = nextHandle(place);
        if (handle != null) {
            handle.openAt(place, memory, length, hasImmediate, hasInvalidatedKey, data);
        }
        return handle;
    }

    /**
     * Returns whether messages are lent.
     *
     * @return false if the {@link LeakDetector} is paranoid
     */
    public boolean isLending() {
        return !LeakDetector.isParanoid();
    }

    private @Nullable ReceivedMessage nextHandle(int place) {
        if (!isLending()) {
            return null;
        }
        @Nullable ReceivedMessage[] all = handles;
        if (all == null) {
            all = new @Nullable ReceivedMessage[count];
            handles = all;
        }
        ReceivedMessage handle = all[next];
        if (handle == null || !handle.isClosed()) { // one that was kept stays with its owner
            handle = new ReceivedMessage(giveBack, place);
            all[next] = handle;
        }
        next = next + 1 == count ? 0 : next + 1;
        return handle;
    }

    /**
     * Closes a message that is not the last one in its receive buffer. For the consumer, which calls
     * {@link #keepIfOpen} afterwards.
     *
     * @param lent result of {@link #lend}
     * @return false if nothing changed, because it was closed, or is the last one
     */
    public boolean close(ReceivedMessage lent) {
        return lent.closeLent();
    }

    /**
     * Ends the lending of a message that is not the last one in its receive buffer.
     *
     * @param lent result of {@link #lend}
     * @return false if it was closed, without notice; true if it is open, and will give the buffer back at its close
     */
    public boolean keepIfOpen(ReceivedMessage lent) {
        return lent.keep();
    }
}
