package io.rdma.internal.engine;

import io.rdma.internal.loop.LoopCounts;
import io.rdma.types.WorkRequestOpcode;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - Any thread adds to `submitted`; everything else belongs to the poster of the send queue.
// - Reads and atomics without room wait in `deferred`, in order. Other operations may pass them.
// - Messages for which the peer has no receive wait in `blocked`, in order, and so do a large message whose memory is
// being registered and the messages behind it. One-sided operations may pass them. Those that tell of the writes before
// them, a FLUSH or an atomic write, pass no RDMA_WRITE_WITH_IMM: behind one they are in `blocked`, too.
// - The poster writes blockedCount before it checks the credits for the last time; the loop reads blockedCount after
// it wrote new credits. So one of the two sees the other, and no message waits while there are credits.
// - The thread that registered the memory of a message makes itself the poster afterwards, or the poster look again.

/** Queue of operations that were submitted and are not posted yet. It decides the order of their posts. */
final class Backlog {
    private static final int UNBOUNDED_CHUNK = 128;
    private static final int SWEEP = 1024;

    private final Credits credits;
    private final LoopCounts counters;
    // Made when the first operation has to wait: an idle connection has none, and those that a listener submits pass.
    private volatile @Nullable Queue<Operation> submitted;
    private final ArrayDeque<Operation> deferred = new ArrayDeque<>(0);
    private final ArrayDeque<Operation> blocked = new ArrayDeque<>(0);
    private volatile int blockedCount;
    private int blockedWrites; // RDMA_WRITE_WITH_IMM among them

    Backlog(Credits credits, LoopCounts counters) {
        this.credits = credits;
        this.counters = counters;
    }

    /** Reads what {@link #mayPass} needs, see {@link io.rdma.internal.loop.InFlightTable.Owner#touch}. Any thread. */
    int touch() {
        return deferred.size() + blockedCount + (isTaken() ? 0 : 1);
    }

    /** Adds an operation. Any thread. */
    void add(Operation operation) {
        Queue<Operation> to = submitted;
        (to == null ? made() : to).add(operation);
    }

    private synchronized Queue<Operation> made() {
        Queue<Operation> to = submitted;
        if (to == null) {
            to = new MpscUnboundedVarHandleArrayQueue<>(UNBOUNDED_CHUNK);
            submitted = to;
        }
        return to;
    }

    private boolean isTaken() {
        Queue<Operation> of = submitted;
        return of == null || of.isEmpty();
    }

    private @Nullable Operation peekSubmitted() {
        Queue<Operation> of = submitted;
        return of == null ? null : of.peek();
    }

    private @Nullable Operation takeSubmitted() {
        Queue<Operation> of = submitted;
        return of == null ? null : of.poll();
    }

    /** Returns whether messages wait for credits or for their memory. Any thread. */
    boolean isBlocked() {
        return blockedCount > 0;
    }

    /**
     * Returns whether an operation may be posted without being added. Poster.
     *
     * @param operation if it is a read or an atomic, there is room for it
     * @return false if any operation waits, or this one would have to wait for credits or for its memory
     */
    boolean mayPass(Operation operation) {
        return (!operation.isMessage() || mayTake(operation)) && !isBlocked() && deferred.isEmpty() && isTaken();
    }

    /** Returns whether the first message in order may be taken: to be posted, or to end by its refusal. */
    private boolean mayTake(Operation message) {
        return credits.mayMessage() && message.isReady() || message.refusal() != null;
    }

    /**
     * Takes the operation to post next. Poster.
     *
     * @param readRoom whether there is room for a read or atomic
     * @return the operation; null if nothing may be posted now
     */
    @Nullable
    Operation next(boolean readRoom) {
        if (mayUnblock()) {
            return unblock();
        }
        deferFirst();
        if (readRoom && !deferred.isEmpty()) {
            return deferred.poll();
        }
        Operation next;
        while ((next = peekSubmitted()) != null) {
            boolean message = next.isMessage();
            boolean behind =
                    blockedWrites > 0 && next.isRead() && next.request().followsWrites();
            if (behind) {
                block(next);
                takeSubmitted();
                continue;
            }
            if (message ? blocked.isEmpty() && mayTake(next) : readRoom || !next.isRead()) {
                return takeSubmitted();
            }
            if (message) {
                if (!credits.mayMessage()) {
                    counters.creditWait();
                }
                block(next);
            } else {
                add(deferred, next);
            }
            takeSubmitted(); // last: if there was no memory for the other queue, it is still here
        }
        return mayUnblock() ? unblock() : null;
    }

    /**
     * Returns the message that follows in the order of the messages, if it is known without a look behind other
     * operations. It may join a message that has a credit. Poster.
     */
    @Nullable
    Operation peekMessage() {
        Operation next = blocked.peek();
        if (next == null) {
            next = peekSubmitted();
        }
        return next != null && next.isMessage() ? next : null;
    }

    /** Takes the message of {@link #peekMessage}. Poster. */
    void takeMessage() {
        if (blocked.isEmpty()) {
            takeSubmitted();
        } else {
            unblock();
        }
    }

    private void block(Operation operation) {
        if (add(blocked, operation)) {
            blockedWrites = (int) blocked.stream().filter(Backlog::isWrite).count();
        } else if (isWrite(operation)) {
            blockedWrites++;
        }
        blockedCount = blocked.size();
    }

    private static boolean isWrite(Operation message) {
        return message.request().opcode() == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
    }

    /** Moves operations that waited behind an RDMA_WRITE_WITH_IMM, which has left, to the other reads and atomics. */
    private void deferFirst() {
        Operation first;
        while ((first = blocked.peek()) != null && first.isRead()) {
            deferred.add(first);
            unblock(); // last: if there was no memory for the other queue, it is still here
        }
    }

    /** Adds an operation, and now and then removes abandoned ones, which would otherwise pile up during a stall. */
    private static boolean add(ArrayDeque<Operation> to, Operation operation) {
        to.add(operation);
        return to.size() % SWEEP == 0 && to.removeIf(Operation::isAbandoned);
    }

    private boolean mayUnblock() {
        Operation first = blocked.peek();
        return first != null && first.isMessage() && mayTake(first);
    }

    private @Nullable Operation unblock() {
        Operation next = blocked.poll();
        blockedCount = blocked.size();
        if (next != null && isWrite(next)) {
            blockedWrites--;
        }
        return next;
    }

    /** Takes any waiting operation, to be failed; null if there is none. Poster. */
    @Nullable
    Operation any() {
        Operation next = deferred.poll();
        if (next == null) {
            next = unblock();
        }
        return next == null ? takeSubmitted() : next;
    }
}
