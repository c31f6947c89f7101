package io.rdma.buffer;

import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Lender of messages that share receive buffers. It lends a few handles in turn, so a handle that was kept fails while
 * the others are lent. The engine makes it, for one connection.
 */
public final class BatchLender {
    private static final int HANDLES = 64;

    private final IntConsumer giveBack;
    private final @Nullable ReceivedMessage[] handles = new @Nullable ReceivedMessage[HANDLES];
    private int next;

    /**
     * Creates the lender of a connection.
     *
     * @param giveBack runs once for each message whose close is not counted by {@link #keepIfOpen}, with the place
     */
    public BatchLender(IntConsumer giveBack) {
        this.giveBack = giveBack;
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
        if (LeakDetector.isParanoid()) {
            return null;
        }
        ReceivedMessage handle = handles[next];
        if (handle == null || !handle.isClosed()) { // one that was kept stays with its owner
            handle = new ReceivedMessage(giveBack, place);
            handles[next] = handle;
        }
        next = (next + 1) % HANDLES;
        handle.openShared(memory, offset, length, place, !last);
        return handle;
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
