package io.rdma.internal.loop;

import io.rdma.internal.close.CloseSteps;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

// Invariants
// - The reserved entries of a queue never exceed its entries, so no queue can overrun. A queue pair reserves its whole
// depth before it is created, and gives the entries back when it is destroyed.
// - A queue is never resized, because several devices cannot do that. One that queue pairs share is never destroyed
// before its loop ends, because a queue pair cannot change its queue.
// - Queues are added and removed under the monitor by replacing the array, so the loop polls them without a lock. The
// thread that added one wakes the loop, which arms all of them before it sleeps. The loop itself removes one.
// - A receive of a shared receive queue may complete on any queue of queue pairs. So each of these reserves entries for
// all receives of the shared queues.

/** Completion queues of one loop, on one channel. The first one is there from the start, others are added on demand. */
final class CompletionQueues {
    private static final int ACK_EVERY = 16;

    /** One of the queues. */
    static final class Polled {
        private final CompletionQueue queue;
        private final boolean own;
        private int free; // guarded by the enclosing CompletionQueues; 0 of an own queue
        private int unacknowledged; // (loop)

        private Polled(CompletionQueue queue, int free, boolean own) {
            this.queue = queue;
            this.free = free;
            this.own = own;
        }

        CompletionQueue queue() {
            return queue;
        }

        /** Returns whether one reservation alone has the queue, which ends with it. */
        boolean isOwn() {
            return own;
        }
    }

    private final DeviceContext context;
    private final CompletionChannel channel;
    private final CompletionQueueLimits limits;
    private final int vector;
    private int inEach; // entries reserved in every queue, future ones included
    private volatile Polled[] all;

    CompletionQueues(DeviceContext context, CompletionChannel channel, CompletionQueueLimits limits, int vector) {
        this.vector = vector;
        this.context = context;
        this.channel = channel;
        this.limits = limits;
        CompletionQueue first = context.createCompletionQueue(limits.first(), channel, vector);
        all = new Polled[] {new Polled(first, first.entries(), false)};
    }

    /** Returns the queues, for the loop to poll. */
    Polled[] all() {
        return all;
    }

    /** Returns the number of entries of all queues. */
    int entries() {
        return Arrays.stream(all).mapToInt(one -> one.queue.entries()).sum();
    }

    /** Returns the number of unreserved entries of the present queues. */
    synchronized int free() {
        return Arrays.stream(all).mapToInt(one -> one.free).sum();
    }

    /** Returns the number of reserved entries. */
    synchronized int reserved() {
        return entries() - free();
    }

    /**
     * Reserves entries of one queue. Creates a queue if no present one has that many left.
     *
     * @return the queue of the entries; {@link #release} gives them back
     * @throws IllegalStateException if there is no room for another queue
     */
    synchronized Polled reserve(int entries) {
        for (Polled one : all) {
            if (one.free >= entries) {
                one.free -= entries;
                return one;
            }
        }
        Polled added = add(entries);
        added.free -= entries;
        return added;
    }

    synchronized void release(Polled one, int entries) {
        one.free += entries;
    }

    /**
     * Adds a queue that nothing else uses.
     *
     * @return the queue, which {@link #remove} destroys
     * @throws IllegalStateException if there is no room for it
     */
    synchronized Polled reserveOwn(int entries) {
        if (entries > deepest()) {
            throw refusal(entries, null);
        }
        return add(new Polled(made(entries, entries, entries), 0, true));
    }

    /** Destroys a queue of {@link #reserveOwn}, which is polled no more. Loop. */
    void remove(Polled own) {
        synchronized (this) {
            all = Arrays.stream(all).filter(one -> one != own).toArray(Polled[]::new);
        }
        CloseSteps steps = new CloseSteps();
        destroy(own, steps);
        steps.report();
    }

    /**
     * Reserves entries of every queue, future ones included.
     *
     * @throws IllegalStateException if one of the queues has fewer entries left
     */
    synchronized void reserveInEach(int entries) {
        Polled[] shared = shared();
        for (Polled one : shared) {
            if (one.free < entries) {
                throw refusal(entries, null);
            }
        }
        inEach += entries;
        for (Polled one : shared) {
            one.free -= entries;
        }
    }

    synchronized void releaseInEach(int entries) {
        inEach -= entries;
        for (Polled one : shared()) {
            one.free += entries;
        }
    }

    private Polled[] shared() {
        return Arrays.stream(all).filter(one -> !one.own).toArray(Polled[]::new);
    }

    /** Returns the depth of the deepest queue for which there is room. */
    private int deepest() {
        return Math.min(limits.deepest(), limits.most() - entries());
    }

    private Polled add(int entries) {
        int least = entries + inEach;
        int deepest = deepest();
        if (least > deepest) {
            throw refusal(entries, null);
        }
        Polled[] shared = shared();
        int twice = 2 * shared[shared.length - 1].queue.entries(); // doubling keeps the number of queues to poll small
        CompletionQueue queue = made(Math.max(least, Math.min(deepest, twice)), least, entries);
        return add(new Polled(queue, queue.entries() - inEach, false));
    }

    private Polled add(Polled added) {
        Polled[] next = Arrays.copyOf(all, all.length + 1);
        next[all.length] = added;
        all = next;
        return added;
    }

    /** Creates a queue of the wanted depth or, if the device refuses it, of the least sufficient one. */
    private CompletionQueue made(int wanted, int least, int entries) {
        try {
            return context.createCompletionQueue(wanted, channel, vector);
        } catch (VerbsException e) {
            if (wanted == least) {
                throw refusal(entries, e);
            }
            return made(least, least, entries);
        }
    }

    private IllegalStateException refusal(int entries, @Nullable VerbsException cause) {
        return new IllegalStateException(
                "completion queue has no room for " + entries + " more requests: " + free() + " of " + entries()
                        + " entries are left in " + all.length + " completion queues"
                        + (cause == null ? limits.reached(entries() + entries) : ", and " + cause.getMessage())
                        + ". Close connections, ask for smaller queues, or open RdmaResources with more loops"
                        + " (ResourceOptions.withLoops)",
                cause);
    }

    /** Arms every queue for one event. Loop. */
    void requestNotify() {
        for (Polled one : all) {
            one.queue.requestNotify();
        }
    }

    /** Takes an event of the channel, which must have one. Acknowledges events in batches. Loop. */
    void takeEvent() {
        long event = channel.takeEvent();
        for (Polled one : all) {
            if (one.queue.isNamedBy(event)) {
                if (++one.unacknowledged >= ACK_EVERY) {
                    acknowledge(one);
                }
                return;
            }
        }
    }

    private static void acknowledge(Polled one) {
        if (one.unacknowledged > 0) {
            one.queue.acknowledge(one.unacknowledged);
            one.unacknowledged = 0;
        }
    }

    /** Returns whether an event of the device concerns one of the queues. */
    boolean isConcernedBy(AsyncEvent event) {
        return Arrays.stream(all).anyMatch(one -> event.concerns(one.queue));
    }

    /**
     * Destroys the queues. Acknowledges all their events first, because otherwise the destroy would wait for ever.
     * Loop, at its end.
     */
    void destroy(CloseSteps steps) {
        steps.run(() -> {
            while (channel.await(0)) {
                takeEvent();
            }
        });
        for (Polled one : all) {
            destroy(one, steps);
        }
    }

    private static void destroy(Polled one, CloseSteps steps) {
        steps.run(() -> acknowledge(one));
        steps.run(() -> acknowledge(one)); // again, in case the first attempt failed
        if (one.unacknowledged == 0) { // else ibv_destroy_cq(3) would wait for ever
            steps.run(one.queue::close);
        }
    }
}
