package io.rdma.engine;

import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.CompletionChannel;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.VerbsException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

// Invariants
// - Of each queue at most as many entries are reserved as it has, so none can overrun: a queue pair reserves its whole
// depth before it is made, and gives it back when it is destroyed.
// - A queue is never resized and never goes before its loop: several devices cannot resize, and a queue pair cannot
// change its queue.
// - Queues are added under the monitor by replacing the whole, so the loop polls them without a lock. Who added one
// wakes the loop, which arms all of them before it sleeps.
// - Whatever takes receives from a shared queue may complete at each of these, so each keeps entries for all of those.

/** Completion queues of one loop, on one channel: the first from the start, others when connections need them. */
final class CompletionQueues {
    private static final int ACK_EVERY = 16;

    /** One of the queues. */
    static final class Polled {
        private final CompletionQueue queue;
        private int free; // guarded by the CompletionQueues
        private int unacknowledged; // (loop)

        private Polled(CompletionQueue queue, int free) {
            this.queue = queue;
            this.free = free;
        }

        CompletionQueue queue() {
            return queue;
        }
    }

    private final DeviceContext context;
    private final CompletionChannel channel;
    private final CompletionQueueLimits limits;
    private int inEach; // entries that are reserved in every queue, those to come included
    private volatile Polled[] all;

    CompletionQueues(DeviceContext context, CompletionChannel channel, CompletionQueueLimits limits) {
        this.context = context;
        this.channel = channel;
        this.limits = limits;
        CompletionQueue first = context.createCompletionQueue(limits.first(), channel);
        all = new Polled[] {new Polled(first, first.entries())};
    }

    /** The queues, for the loop to poll. */
    Polled[] all() {
        return all;
    }

    /** Entries of all queues. */
    int entries() {
        return Arrays.stream(all).mapToInt(one -> one.queue.entries()).sum();
    }

    /** Entries that nobody has reserved, of the queues that are there. */
    synchronized int free() {
        return Arrays.stream(all).mapToInt(one -> one.free).sum();
    }

    /** Entries that are reserved. */
    synchronized int reserved() {
        return entries() - free();
    }

    /**
     * Reserves entries of one queue, which is made if none has so many left.
     *
     * @return whose entries are taken; {@link #release} gives them back
     * @throws IllegalStateException if there is no room for one more queue
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
     * Reserves entries of every queue, those to come included.
     *
     * @throws IllegalStateException if one of the queues has not so many left
     */
    synchronized void reserveInEach(int entries) {
        for (Polled one : all) {
            if (one.free < entries) {
                throw refusal(entries, null);
            }
        }
        inEach += entries;
        for (Polled one : all) {
            one.free -= entries;
        }
    }

    synchronized void releaseInEach(int entries) {
        inEach -= entries;
        for (Polled one : all) {
            one.free += entries;
        }
    }

    private Polled add(int entries) {
        Polled[] now = all;
        int least = entries + inEach;
        int left = limits.most() - entries();
        int deepest = Math.min(limits.deepest(), left);
        if (least > deepest) {
            throw refusal(entries, null);
        }
        int twice = 2 * now[now.length - 1].queue.entries(); // so that there are few of them to poll
        CompletionQueue queue = made(Math.max(least, Math.min(deepest, twice)), least, entries);
        Polled added = new Polled(queue, queue.entries() - inEach);
        Polled[] next = Arrays.copyOf(now, now.length + 1);
        next[now.length] = added;
        all = next;
        return added;
    }

    /** As deep as wanted, or, where the device has not that much memory, just deep enough. */
    private CompletionQueue made(int wanted, int least, int entries) {
        try {
            return context.createCompletionQueue(wanted, channel);
        } catch (VerbsException e) {
            if (wanted == least) {
                throw refusal(entries, e);
            }
            return made(least, least, entries);
        }
    }

    private IllegalStateException refusal(int entries, @Nullable VerbsException cause) {
        return new IllegalStateException(
                "completion queue has no room for " + entries + " requests more: " + free() + " of " + entries()
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

    /** Takes an event of the channel, which has one, and acknowledges in batches. Loop. */
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

    /** Whether an event of the device is about one of the queues. */
    boolean isConcernedBy(AsyncEvent event) {
        return Arrays.stream(all).anyMatch(one -> event.concerns(one.queue));
    }

    /**
     * Destroys the queues, all of whose events are acknowledged before: else that would wait for ever. Loop, at its
     * end.
     */
    void destroy(CloseSteps steps) {
        steps.run(() -> {
            while (channel.await(0)) {
                takeEvent();
            }
        });
        for (Polled one : all) {
            steps.run(() -> acknowledge(one));
            steps.run(() -> acknowledge(one)); // where the first attempt failed
            if (one.unacknowledged == 0) { // else ibv_destroy_cq(3) would wait without end
                steps.run(one.queue::close);
            }
        }
    }
}
