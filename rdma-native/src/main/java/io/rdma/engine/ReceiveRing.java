package io.rdma.engine;

import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

// Invariants
// - A slot is in exactly one place: posted to the device, with the receive queue of a connection, or in `returned`.
// - The device always keeps receives while slots come back: they are re-posted in batches, but at once when half the
// application's are out.
// - Each queue that gets slots from here retains the memory until none is out, so it outlives ring and connection.
// - A ring may begin with a part of its slots. One thread at a time, the grower, registers memory for more and gives
// them back as if they had been out: it raises `growing` and then looks at `closed`, a close sets that and then looks
// at `growing`.
// - Receives are counted as posted by who posts, and as completed by the loop: no count has two writers.

/**
 * Receive buffers, all in one slab or in slabs as they are needed: posted ahead, and posted again when they are given
 * back. Of one connection, or shared by many.
 */
final class ReceiveRing implements InFlightTable.Owner {
    /** Where a ring posts, and who hears of it. */
    interface Device {
        /** As {@code ibv_post_recv(3)}: 0 or a negative errno. */
        int post(ReceiveChain chain);

        int postedBeforeFailure(ReceiveChain chain);

        /** Slots that were given back are posted again. The thread that posts. */
        void reposted(int messages, int control);

        /** Ends the connection, or all that share the ring: the device refused a post, or the post threw. */
        void refused(Throwable error);

        /** A receive has ended; the slot is the receiver's to give back. Loop. */
        void completed(int slot, CompletionBatch completions, int index);
    }

    private static final int MAX_BATCH = 16;
    private static final int ALIGNMENT = 64;

    private final InFlightTable table;
    private final LoopCounters counters;
    private final Device device;
    private final ProtectionDomain domain;
    private final MemoryRegion region; // the first slab, with all frames that lie apart
    private final List<MemoryRegion> slabs = new ArrayList<>(); // guarded by itself
    private final AtomicInteger holders = new AtomicInteger(1);
    private final int count;
    private final int spare;
    private final int size;
    private final boolean
            frameApart; // frames lie behind all buffers, which so are as aligned as their size; else each before its
    // buffer
    private final int frameBytes;
    private final long stride;
    private final long framesAt; // in the first slab, where they lie apart
    private final int[] lkeys; // by slot; (grower) writes, (poster) reads after `returned`
    private final AtomicBoolean growing = new AtomicBoolean();
    private volatile int made; // (grower) slots that there are by now
    private volatile int half; // (grower) posted when half of the application's buffers are out
    private volatile int batch; // (grower)
    private final InFlightTable.Slots inFlight;
    private final boolean[] control; // by slot: what it held last; (loop) writes, (poster) reads after `returned`
    private final MemorySegment[] buffers;
    private final MemorySegment[] wholes; // buffers with the frame before them; the same where there is none
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
     * A ring of which nothing is posted yet.
     *
     * @param count of buffers, {@code spare} included
     * @param spare buffers for control frames
     * @param first of buffers that are there at once, {@code spare} included; all of them unless frames are apart
     * @param size bytes of each
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
        this.domain = domain;
        this.count = count;
        this.spare = spare;
        this.size = size;
        this.frameApart = framed && frameApart;
        this.frameBytes = framed ? Frame.BYTES : 0;
        this.stride =
                this.frameApart || !framed ? size : (long) (size + Frame.BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        this.control = new boolean[count];
        this.returned = new MpscVarHandleArrayQueue<>(Math.max(2, count));
        this.chain = new ReceiveChain(Math.min(count, 64), 2);
        this.buffers = new MemorySegment[count];
        this.wholes = this.frameApart || !framed ? buffers : new MemorySegment[count];
        this.lkeys = new int[count];
        this.arrivals = new ArrivedMessages(count);
        this.boxed = new Integer[count];
        for (int i = 0; i < count; i++) {
            boxed[i] = i;
        }
        int atFirst = domain.usesHugePages() ? count : first;
        this.framesAt = atFirst * stride;
        this.region = allocate(framesAt + (this.frameApart ? (long) count * Frame.BYTES : 0));
        slabs.add(region);
        cut(region, 0, atFirst);
        this.inFlight = table.add(count, this);
    }

    private MemoryRegion allocate(long bytes) {
        return domain.allocate(bytes, EnumSet.of(AccessFlag.LOCAL_WRITE));
    }

    /** Cuts a slab into slots, from the first that is not there yet on. */
    private void cut(MemoryRegion slab, int from, int to) {
        for (int slot = from; slot < to; slot++) {
            long at = (slot - from) * stride;
            if (wholes != buffers) {
                wholes[slot] = slab.segment().asSlice(at, frameBytes + size);
            }
            buffers[slot] = slab.segment().asSlice(at + (frameApart ? 0 : frameBytes), size);
            lkeys[slot] = slab.lkey();
        }
        made = to;
        int messages = to - spare;
        half = to - (messages + 1) / 2;
        batch = Math.max(1, Math.min(MAX_BATCH, messages / 4));
    }

    /** Posts all slots that are there, before anybody may send. */
    void postAll() {
        for (int slot = 0; slot < made; slot++) {
            returned.add(boxed[slot]);
        }
        repost(1, true);
    }

    /** Makes the caller the grower, unless there is one or the ring is closed; {@link #endGrowth} follows. */
    boolean beginGrowth() {
        if (!growing.compareAndSet(false, true)) {
            return false;
        }
        if (closed) {
            growing.set(false);
            return false;
        }
        return true;
    }

    void endGrowth() {
        growing.set(false);
    }

    /**
     * Registers and posts buffers for messages. Grower; takes time: not on the loop.
     *
     * @throws RuntimeException if there is no memory; the ring stays as it is
     */
    void grow(int more) {
        MemoryRegion slab = allocate(more * stride);
        synchronized (slabs) {
            slabs.add(slab); // the holder of this ring has not let go: it waits until nobody grows
        }
        int from = made;
        cut(slab, from, from + more);
        for (int slot = from; slot < from + more; slot++) {
            returned.add(boxed[slot]);
        }
        repost(1, false);
    }

    /** Receives that the device holds now. */
    int posted() {
        // In this order: too few, if anything, so what comes back is posted sooner.
        return posted.get() - completed.get();
    }

    /** Slots that are neither with the device nor on their way back to it. */
    int outstanding() {
        return made - posted() - returned.size();
    }

    /** Whether half of the application's slots, or more, are out. */
    boolean isScarce() {
        return outstanding() >= made - half;
    }

    /** Whether all slots are there. */
    boolean isWhole() {
        return made == count;
    }

    /** Slots that are there. */
    int made() {
        return made;
    }

    /** Slots that there may be. */
    int count() {
        return count;
    }

    /** Bytes of each buffer. */
    int size() {
        return size;
    }

    /** Holds the memory beyond the ring; {@link #release} ends it. */
    void retain() {
        holders.incrementAndGet();
    }

    void release() {
        if (holders.decrementAndGet() == 0) {
            synchronized (slabs) {
                slabs.forEach(MemoryRegion::close);
            }
        }
    }

    /** The memory that frames lie in. */
    MemorySegment frames() {
        return region.segment();
    }

    /** Where a slot's frame begins there. */
    long frame(int slot) {
        return frameApart ? framesAt + (long) slot * Frame.BYTES : slot * stride;
    }

    /** A slot's buffer, behind its frame. */
    MemorySegment buffer(int slot) {
        return buffers[slot];
    }

    /**
     * A slot's memory from its first byte, for a message that came without a frame; only where frames are not apart.
     */
    MemorySegment whole(int slot) {
        return wholes[slot];
    }

    /** What is known of the messages in the slots. */
    ArrivedMessages arrivals() {
        return arrivals;
    }

    /** A slot's number, as an object that is there already. */
    Integer boxed(int slot) {
        return boxed[slot];
    }

    @Override
    public void completed(int slot, CompletionBatch completions, int index) {
        completed.setRelease(completed.getPlain() + 1);
        int left = posted();
        if (left == 0) {
            counters.starve();
        }
        if (left <= half) {
            VarHandle.fullFence(); // who gives back adds first and then looks at what is posted
            repost(1, false); // what was given back while there were more, which waits for a batch
        }
        device.completed(slot, completions, index);
    }

    /** What a slot holds: a message, or a control frame. Loop, before it is given back. */
    void holdsControl(int slot, boolean isControl) {
        control[slot] = isControl;
    }

    /** Takes a slot back. Any thread. */
    void giveBack(int slot) {
        returned.add(boxed[slot]);
        repost(control[slot] || posted() <= half ? 1 : batch, false);
    }

    /**
     * Posts what was given back if it is at least {@code least}; the first posting is what the peer knows from the
     * exchange.
     */
    private void repost(int least, boolean first) {
        if (returned.size() < least || wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            try {
                post(first);
            } catch (Throwable t) { // what it was about to post counts as posted: the device may have it
                device.refused(t);
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
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
            chain.add(inFlight.arm(slot));
            if (frameApart) {
                chain.entry(region.segment().address() + frame(slot), Frame.BYTES, region.lkey());
                chain.entry(buffers[slot].address(), size, lkeys[slot]);
            } else {
                chain.entry(buffers[slot].address() - frameBytes, frameBytes + size, lkeys[slot]);
            }
            controlInChain += control[slot] ? 1 : 0;
        }
        return chain.size() > 0;
    }

    /** Stops re-posting. */
    void stop() {
        closed = true;
    }

    /** Whether no thread posts or registers, or ever will: a re-post that starts after the stop posts nothing. */
    boolean isQuiet() {
        return closed && wip.get() == 0 && !growing.get();
    }

    /** After the queue that it posted to is destroyed: gives slots and memory back. */
    void destroyed() {
        table.remove(inFlight);
        release();
    }
}
