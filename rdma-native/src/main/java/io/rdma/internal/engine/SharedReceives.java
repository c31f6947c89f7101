package io.rdma.internal.engine;

import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SharedReceiveQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

// Invariants
// - One ring serves all connections of a loop and domain. Its receives complete there, whichever connection took them.
// - A completion finds its connection by qp_num, which is valid for every status. If the connection is gone, the slot
// is given back, so no slot is lost with a connection.
// - Where a message cannot wait for a receive, no more are promised to connections than there are.

/**
 * Receive buffers that all connections of one loop share, {@code ibv_create_srq(3)}. The memory needed depends on the
 * messages under way, not on the sum of all windows.
 */
public final class SharedReceives implements ReceiveRing.Device, AutoCloseable {
    private static final long GIVE_BACK_NANOS = 50_000;
    private static final int LEAST_AT_FIRST = 128;

    private final CompletionLoop loop;
    private final SharedReceiveQueue queue;
    private final ReceiveRing ring;
    private final int count;
    private final MembersByNumber<ReceiveQueue> members = new MembersByNumber<>();
    private final ReceiveShares shares;
    private final SharedGrowth growth;
    private volatile @Nullable Throwable refusal;
    private volatile boolean open; // after the first post

    /**
     * Creates the queue and posts the first buffers: all of a few, a quarter of many. The others follow when receives
     * run low, but where no message can wait for them, all are posted.
     *
     * @param loop where receives complete
     * @param domain of the connections
     * @param count largest number of buffers
     * @param size bytes of each buffer
     * @param fixed whether windows must be promised in full, because no message can wait for a receive
     * @throws IllegalStateException if the completion queue has no room for that many
     * @throws VerbsException if the device has no shared receive queue of that depth, or refuses its first receives
     */
    SharedReceives(CompletionLoop loop, ProtectionDomain domain, int count, int size, boolean fixed) {
        this.loop = loop;
        this.count = count;
        int first = fixed ? count : Math.min(count, Math.max(LEAST_AT_FIRST, count / 4));
        loop.reserveInEach(count); // the receives of each queue pair complete where its sends do
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(() -> loop.releaseInEach(count));
            queue = cleanup.add(domain.createSharedReceiveQueue(SharedReceiveQueueAttributes.of(count, 1)));
            ring = new ReceiveRing(loop, domain, this, count, 0, first, size, true, false);
            cleanup.keep();
        }
        shares = new ReceiveShares(made(), fixed); // with huge pages all are there at once
        growth = new SharedGrowth(this, loop, queue, ring, shares, count);
        ring.postAll();
        Throwable refused = refusal;
        if (refused != null) {
            close();
            if (refused instanceof Error e) {
                throw e;
            }
            throw (RuntimeException) refused; // a post throws nothing else
        }
        open = true;
        try {
            growth.armLimit();
        } catch (Throwable e) { // such as no memory, where the device has no limit
            close();
            throw e;
        }
    }

    /**
     * Returns the queue with which queue pairs are created.
     *
     * @return open
     */
    public SharedReceiveQueue queue() {
        return queue;
    }

    /**
     * Returns the largest number of buffers.
     *
     * @return number
     */
    public int count() {
        return count;
    }

    /**
     * Returns the number of buffers that are registered by now.
     *
     * @return at most {@link #count}
     */
    public int made() {
        return ring.slots().made();
    }

    /**
     * Returns the number of receives that peers may use, or have used for messages that are open: windows and control
     * frames of all connections.
     *
     * @return number
     */
    public int promised() {
        return shares.promised();
    }

    ReceiveShares shares() {
        return shares;
    }

    SharedGrowth growth() {
        return growth;
    }

    /**
     * Returns the largest window of one connection: half of the buffers, so that a stalled connection leaves some to
     * the others.
     *
     * @return at least 1
     */
    public int mostForOne() {
        return Math.max(1, count / 2);
    }

    /**
     * Promises receives to one connection, on a device where a message without a receive ends its connection. Elsewhere
     * such a message waits, and the first windows of all connections may exceed the buffers.
     *
     * @param receives to be given back by {@link #release}
     * @throws IllegalStateException if the others have been promised too many
     */
    public void promise(int receives) {
        shares.promise(receives);
    }

    /**
     * Gives a promise back.
     *
     * @param receives as promised
     */
    public void release(int receives) {
        shares.release(receives);
    }

    /**
     * Returns the size of each buffer, without a frame.
     *
     * @return bytes
     */
    public int size() {
        return ring.slots().size();
    }

    /**
     * Returns the number of buffers whose message waits for the application or is held by it.
     *
     * @return 0 when no buffer is out
     */
    public int outstanding() {
        return ring.outstanding();
    }

    ReceiveRing ring() {
        return ring;
    }

    /**
     * Adds a connection. Registers more buffers if those there are do not suffice for its first window. If there are no
     * more, messages may wait for a receive. Slow, so never on the loop.
     *
     * @param receives promised to it
     */
    void join(int number, ReceiveQueue connection, int receives) {
        shares.join(receives);
        try (CleanupStack cleanup = new CleanupStack()) {
            cleanup.add(() -> shares.leave(receives));
            boolean grown = true;
            while (grown && shares.isExceeded()) {
                grown = growth.grow();
            }
            members.add(number, connection);
            cleanup.keep();
        }
    }

    /** Removes a connection. Does nothing if its number belongs to another connection by now. */
    void leave(int number, ReceiveQueue connection) {
        members.remove(number, connection);
    }

    @Override
    public int post(ReceiveChain chain) {
        return queue.post(chain);
    }

    @Override
    public int postedBeforeFailure(ReceiveChain chain) {
        return queue.postedBeforeFailure(chain);
    }

    @Override
    public void reposted(int messages, int control) {
        // each connection announced its own receive when it gave the slot back
    }

    @Override
    public void refused(Throwable error) {
        refusal = error;
        if (open) { // every connection that takes its receives here, now or later, is on that loop
            loop.fail(error);
        }
    }

    @Override
    public void completed(int slot, CompletionBatch completions, int index) {
        ReceiveQueue queue = members.find(completions.qpNumber(index));
        if (queue != null) {
            try {
                queue.completed(slot, completions, index);
            } catch (RuntimeException e) { // the others that share the ring go on
                queue.interrupted(e);
            }
        } else {
            ring.giveBack(slot);
        }
    }

    /** Closes the queue and its ring, when no connection is left and no thread polls the loop any more. */
    @Override
    public void close() {
        ring.stop();
        growth.stop();
        // A thread that gives a message back may be inside a post, or one may add buffers: this is brief.
        while (!ring.isQuiet() || growth.isUnderWay()) {
            LockSupport.parkNanos(this, GIVE_BACK_NANOS);
        }
        new CloseSteps()
                .run(queue::close)
                .run(ring::destroyed)
                .run(() -> loop.releaseInEach(count))
                .report();
    }
}
