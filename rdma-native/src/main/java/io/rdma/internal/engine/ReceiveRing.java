package io.rdma.internal.engine;

import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.loop.InFlightTable;
import io.rdma.internal.loop.LoopCounts;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

// Invariants
// - A slot is in exactly one place: posted to the device, with the receive queue of a connection, or in `returned`.
// - The device always keeps receives while slots come back. They are posted again in batches, but at once when half of
// the application's slots are out.
// - The poster counts receives as posted; the loop counts them as completed. No count has two writers.

/**
 * Ring of receive buffers of one connection, or shared by many. They are posted ahead, and again when they are given
 * back.
 */
final class ReceiveRing implements InFlightTable.Owner {
    /** The queue that a ring posts to, and the receiver of its completions. */
    interface Device {
        /** Posts a chain as {@code ibv_post_recv(3)} does. Returns 0 or a negative errno. */
        int post(ReceiveChain chain);

        int postedBeforeFailure(ReceiveChain chain);

        /** Reports that slots which were given back are posted again. On the thread that posts. */
        void reposted(int messages, int control);

        /** Ends the connection, or all that share the ring: a post was refused or threw, or a completion is lost. */
        void refused(Throwable error);

        /** Handles the end of a receive; the slot is the receiver's to give back. Loop. */
        void completed(int slot, CompletionBatch completions, int index);
    }

    private static final int MAX_BATCH = 16;

    private final InFlightTable table;
    private final LoopCounts counters;
    private final Device device;
    private final ReceiveSlots slots;
    private final int spare;
    private volatile int half; // (grower) receives still posted when half of the application's buffers are out
    private volatile int batch; // (grower)
    private final InFlightTable.Slots inFlight;
    private final boolean[] control; // by slot: held control last; (loop) writes, (poster) reads after `returned`
    private final ArrivedMessages arrivals;
    private final Integer[] boxed;
    private final MpscVarHandleArrayQueue<Integer> returned;
    private final ReceiveChain chain;
    private final AtomicInteger wip = new AtomicInteger();
    private final AtomicInteger posted = new AtomicInteger(); // (poster) since the start
    private final AtomicInteger completed = new AtomicInteger(); // (loop)
    private int controlInChain; // (poster)
    private volatile boolean closed;

    /**
     * Creates a ring, of which nothing is posted yet.
     *
     * @param count of buffers, {@code spare} included
     * @param spare buffers for control frames
     * @param first of buffers that are there at once, {@code spare} included
     * @param size bytes of each buffer
     * @param framed whether there is room for a {@link Frame}
     * @param frameApart whether frames have entries of their own
     */
    ReceiveRing(
            CompletionLoop loop,
            ProtectionDomain domain,
            Device device,
            int count,
            int spare,
            int first,
            int size,
            boolean framed,
            boolean frameApart) {
        this.table = loop.table();
        this.counters = loop.counters();
        this.device = device;
        this.spare = spare;
        this.control = new boolean[count];
        this.returned = new MpscVarHandleArrayQueue<>(Math.max(2, count));
        this.chain = new ReceiveChain(Math.min(count, 64), 2);
        this.arrivals = new ArrivedMessages(count);
        this.boxed = new Integer[count];
        for (int i = 0; i < count; i++) {
            boxed[i] = i;
        }
        this.slots = new ReceiveSlots(domain, count, first, size, framed, frameApart);
        setThresholds();
        this.inFlight = table.add(count, this);
    }

    /** Sets from how many slots on some are posted again. Called by the grower when there are more slots. */
    private void setThresholds() {
        int made = slots.made();
        int messages = made - spare;
        half = made - (messages + 1) / 2;
        batch = batch(messages);
    }

    /** Returns how many of some receives may be on their way back to the device. */
    static int batch(int messages) {
        return Math.max(1, Math.min(MAX_BATCH, messages / 4));
    }

    /** Posts all slots that exist, before the peer may send. */
    void postAll() {
        for (int slot = 0; slot < slots.made(); slot++) {
            returned.add(boxed[slot]);
        }
        repost(1, true);
    }

    /**
     * Registers and posts buffers for messages. Grower. Slow, so never on the loop.
     *
     * @throws RuntimeException if there is no memory; the ring stays as it is
     */
    void grow(int more) {
        int from = slots.made();
        slots.add(more);
        setThresholds();
        for (int slot = from; slot < from + more; slot++) {
            returned.add(boxed[slot]);
        }
        repost(1, false);
    }

    /** Returns the number of receives that the device holds now. */
    int posted() {
        // In this order a race makes the result too small, never too large, so slots are posted again sooner.
        return posted.get() - completed.get();
    }

    /** Returns the number of slots that are neither with the device nor on their way back to it. */
    int outstanding() {
        return slots.made() - posted() - returned.size();
    }

    /** Returns whether at least half of the application's slots are out. */
    boolean isScarce() {
        return posted() <= half && outstanding() >= slots.made() - half; // the first alone is cheap, and mostly false
    }

    /** Returns the memory of the slots. */
    ReceiveSlots slots() {
        return slots;
    }

    /** Returns the completion fields of the messages in the slots. */
    ArrivedMessages arrivals() {
        return arrivals;
    }

    /** Returns a slot's number as an object that exists already. */
    Integer boxed(int slot) {
        return boxed[slot];
    }

    @Override
    public void completed(int slot, CompletionBatch completions, int index) {
        completed.setRelease(completed.getPlain() + 1);
        int left = posted();
        if (left == 0 && completions.status(index) == 0) { // else the queue pair ends and flushes its receives
            counters.starve();
        }
        if (left <= half) {
            VarHandle.fullFence(); // giveBack adds to `returned` first and then reads `posted`
            repost(1, false); // posts slots that were given back earlier and wait for a batch
        }
        device.completed(slot, completions, index);
    }

    @Override
    public void interrupted(RuntimeException cause) {
        device.refused(cause); // the slot stays out: nobody knows whether it was given back
    }

    /** Records whether a slot holds a control frame or a message. Loop, before the slot is given back. */
    void holdsControl(int slot, boolean isControl) {
        control[slot] = isControl;
    }

    /** Returns the number of slots that are posted together, while enough others are posted. */
    int batch() {
        return batch;
    }

    /** Takes a slot back. Any thread. */
    void giveBack(int slot) {
        returned.add(boxed[slot]);
        repost(control[slot] || posted() <= half ? 1 : batch, false);
    }

    /**
     * Posts the slots that were given back, if there are at least {@code least}. The first posting is not reported,
     * because the peer knows it from the exchange.
     */
    private void repost(int least, boolean first) {
        if (returned.size() < least || wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            try {
                post(first);
            } catch (Throwable t) { // a post that threw counts as posted: the device may have it
                refused(t);
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private void refused(Throwable error) {
        try {
            device.refused(error);
        } catch (Throwable again) { // no memory: the thread must give `wip` back
            // nothing is left to be done: the device ends the connection when it finds no receive
        }
    }

    private void post(boolean first) {
        while (!closed && fillChain()) {
            int length = chain.size();
            posted.setRelease(posted.getPlain() + length);
            int result = device.post(chain);
            if (result != 0) {
                posted.setRelease(posted.getPlain() + device.postedBeforeFailure(chain) - length);
                throw new VerbsException("ibv_post_recv", -result, null);
            }
            if (!first) {
                counters.reposted(length);
                device.reposted(length - controlInChain, controlInChain);
            }
        }
    }

    private boolean fillChain() {
        chain.clear();
        controlInChain = 0;
        Integer slot;
        while (!chain.isFull() && (slot = returned.poll()) != null) {
            chain.add(inFlight.issue(slot));
            slots.addTo(chain, slot);
            controlInChain += control[slot] ? 1 : 0;
        }
        return chain.size() > 0;
    }

    /** Stops re-posting. */
    void stop() {
        closed = true;
    }

    /** Returns whether posting was stopped. */
    boolean isStopped() {
        return closed;
    }

    /** Returns whether no thread posts, now or later. A re-post that starts after the stop posts nothing. */
    boolean isQuiet() {
        return closed && wip.get() == 0;
    }

    /** Gives slots and memory back, after the queue that the ring posted to is destroyed. */
    void destroyed() {
        table.remove(inFlight);
        slots.release();
    }
}
