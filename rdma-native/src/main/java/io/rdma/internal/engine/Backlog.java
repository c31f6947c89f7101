package io.rdma.internal.engine;

import io.rdma.internal.loop.LoopCounts;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - Any thread adds to `submitted`; everything else belongs to the poster of the send queue.
// - Reads and atomics without room wait in `deferred`, in order. Other operations may pass them.
// - Messages for which the peer has no receive wait in `blocked`, in order, and so do a large message whose memory is
// being registered and the messages behind it. One-sided operations may pass them.
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
        if (readRoom && !deferred.isEmpty()) {
            return deferred.poll();
        }
        Operation next;
        while ((next = peekSubmitted()) != null) {
            boolean message = next.isMessage();
            if (message ? blocked.isEmpty() && mayTake(next) : readRoom || !next.isRead()) {
                return takeSubmitted();
            }
            if (message) {
                if (!credits.mayMessage()) {
                    counters.creditWait();
                }
                add(blocked, next);
                blockedCount = blocked.size();
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

    /** Adds an operation, and now and then removes abandoned ones, which would otherwise pile up during a stall. */
    private static void add(ArrayDeque<Operation> to, Operation operation) {
        to.add(operation);
        if (to.size() % SWEEP == 0) {
            to.removeIf(Operation::isAbandoned);
        }
    }

    private boolean mayUnblock() {
        Operation first = blocked.peek();
        return first != null && mayTake(first);
    }

    private @Nullable Operation unblock() {
        Operation next = blocked.poll();
        blockedCount = blocked.size();
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
