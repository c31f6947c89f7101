package io.rdma.engine;

import io.rdma.verbs.WorkRequestOpcode;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - Anybody adds to `submitted`; everything else belongs to the thread that drains the send queue.
// - Reads and atomics for which there is no room wait in `deferred`, in order, and let the others pass.
// - Messages for which the peer has no receive wait in `blocked`, in order, and let one-sided operations pass.
// - blockedCount is written before the credits are looked at for the last time, and the loop looks at it after it wrote
// new credits: so one of the two sees the other, and no message waits for credits that are there.

/** Operations that were submitted and are not posted, and the order in which they may be. */
final class Backlog {
    private static final int UNBOUNDED_CHUNK = 128;
    private static final int SWEEP = 1024;

    private final Credits credits;
    private final LoopCounters counters;
    private final Queue<Operation> submitted = new MpscUnboundedVarHandleArrayQueue<>(UNBOUNDED_CHUNK);
    private final ArrayDeque<Operation> deferred = new ArrayDeque<>();
    private final ArrayDeque<Operation> blocked = new ArrayDeque<>();
    private volatile int blockedCount;

    Backlog(Credits credits, LoopCounters counters) {
        this.credits = credits;
        this.counters = counters;
    }

    /** Any thread. */
    void add(Operation operation) {
        submitted.add(operation);
    }

    /** Whether messages wait for credits. Any thread. */
    boolean isBlocked() {
        return blockedCount > 0;
    }

    /**
     * Whether an operation may be posted without having been added. Drainer.
     *
     * @param readRoom as for {@link #next}
     * @return false if anything waits, or it would have to
     */
    boolean mayPass(Operation operation, boolean readRoom) {
        WorkRequestOpcode opcode = operation.request().opcode();
        return (readRoom || !opcode.isReadOrAtomic())
                && (!opcode.consumesReceive() || credits.mayMessage())
                && blocked.isEmpty()
                && deferred.isEmpty()
                && submitted.isEmpty();
    }

    /**
     * What to post next.
     *
     * @param readRoom whether there is room for a read or atomic
     * @return null if nothing may be posted now
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
        while ((next = submitted.poll()) != null) {
            WorkRequestOpcode opcode = next.request().opcode();
            if (opcode.consumesReceive()) {
                if (blocked.isEmpty() && credits.mayMessage()) {
                    return next;
                }
                counters.creditWait();
                add(blocked, next);
                blockedCount = blocked.size();
            } else if (readRoom || !opcode.isReadOrAtomic()) {
                return next;
            } else {
                add(deferred, next);
            }
        }
        return mayUnblock() ? unblock() : null;
    }

    /** What was cancelled while it waits is swept out now and then, or it would pile up while nothing moves. */
    private static void add(ArrayDeque<Operation> to, Operation operation) {
        to.add(operation);
        if (to.size() % SWEEP == 0) {
            to.removeIf(Operation::isAbandoned);
        }
    }

    private boolean mayUnblock() {
        return !blocked.isEmpty() && credits.mayMessage();
    }

    private @Nullable Operation unblock() {
        Operation next = blocked.poll();
        blockedCount = blocked.size();
        return next;
    }

    /** Anything that waits, whatever it waits for: to be failed. */
    @Nullable
    Operation any() {
        Operation next = deferred.poll();
        if (next == null) {
            next = unblock();
        }
        return next == null ? submitted.poll() : next;
    }
}
