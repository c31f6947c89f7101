package io.rdma.engine;

import io.rdma.types.AccessFlag;
import io.rdma.types.VerbsException;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
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
// - The device always keeps receives while slots come back. They are posted again in batches, but at once when half of
// the application's slots are out.
// - Each queue that gets slots from here retains the memory until none is out. So it outlives ring and connection.
// - A ring may begin with a part of its slots. One thread at a time, the grower, registers memory for more slots and
// adds them like slots that were given back. It raises `growing` and then reads `closed`; a close sets `closed` and
// then reads `growing`.
// - The poster counts receives as posted; the loop counts them as completed. No count has two writers.

/**
 * Receive buffers of one connection, or shared by many: posted ahead, and posted again when they are given back. They
 * lie in one slab, or in several that are added as needed.
 */
final class ReceiveRing implements InFlightTable.Owner {
    /** The queue that a ring posts to, and the receiver of its completions. */
    interface Device {
        /** Posts a chain as {@code ibv_post_recv(3)} does. Returns 0 or a negative errno. */
        int post(ReceiveChain chain);

        int postedBeforeFailure(ReceiveChain chain);

        /** Reports that slots which were given back are posted again. On the thread that posts. */
        void reposted(int messages, int control);

        /** Ends the connection, or all that share the ring: the device refused a post, or the post threw. */
        void refused(Throwable error);

        /** Handles the end of a receive; the slot is the receiver's to give back. Loop. */
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
            frameApart; // frames lie behind all buffers, which are thus as aligned as their size; else before each
    private final int frameBytes;
    private final long stride;
    private final long framesAt; // in the first slab, where they lie apart
    private final int[] lkeys; // by slot; (grower) writes, (poster) reads after `returned`
    private final AtomicBoolean growing = new AtomicBoolean();
    private volatile int made; // (grower) slots that exist by now
    private volatile int half; // (grower) receives still posted when half of the application's buffers are out
    private volatile int batch; // (grower)
    private final InFlightTable.Slots inFlight;
    private final boolean[] control; // by slot: held control last; (loop) writes, (poster) reads after `returned`
    private final MemorySegment[] buffers;
    private final MemorySegment[] wholes; // buffers with the frame before them; `buffers` where there is none
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
     * @param first of buffers that are there at once, {@code spare} included; all of them unless frames are apart
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

    /** Cuts a slab into slots. {@code from} is the first slot that does not exist yet. */
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

    /** Posts all slots that exist, before the peer may send. */
    void postAll() {
        for (int slot = 0; slot < made; slot++) {
            returned.add(boxed[slot]);
        }
        repost(1, true);
    }

    /**
     * Makes the caller the grower and returns true, unless there is one or the ring is closed. The grower must call
     * {@link #endGrowth}.
     */
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
     * Registers and posts buffers for messages. Grower. Slow, so never on the loop.
     *
     * @throws RuntimeException if there is no memory; the ring stays as it is
     */
    void grow(int more) {
        MemoryRegion slab = allocate(more * stride);
        synchronized (slabs) {
            slabs.add(slab); // the ring is still held: its holder waits until no thread grows it
        }
        int from = made;
        cut(slab, from, from + more);
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
        return made - posted() - returned.size();
    }

    /** Returns whether at least half of the application's slots are out. */
    boolean isScarce() {
        return outstanding() >= made - half;
    }

    /** Returns whether all slots exist. */
    boolean isWhole() {
        return made == count;
    }

    /** Returns the number of slots that exist. */
    int made() {
        return made;
    }

    /** Returns the largest number of slots. */
    int count() {
        return count;
    }

    /** Returns the bytes of each buffer. */
    int size() {
        return size;
    }

    /** Holds the memory beyond the life of the ring, until {@link #release}. */
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

    /** Returns the memory in which frames lie. */
    MemorySegment frames() {
        return region.segment();
    }

    /** Returns the offset of a slot's frame in {@link #frames}. */
    long frame(int slot) {
        return frameApart ? framesAt + (long) slot * Frame.BYTES : slot * stride;
    }

    /** Returns a slot's buffer, without its frame. */
    MemorySegment buffer(int slot) {
        return buffers[slot];
    }

    /** Returns a slot's memory from its first byte, for a message without a frame; only where frames are not apart. */
    MemorySegment whole(int slot) {
        return wholes[slot];
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

    /** Records whether a slot holds a control frame or a message. Loop, before the slot is given back. */
    void holdsControl(int slot, boolean isControl) {
        control[slot] = isControl;
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

    /**
     * Returns whether no thread posts or registers, now or later. A re-post that starts after the stop posts nothing.
     */
    boolean isQuiet() {
        return closed && wip.get() == 0 && !growing.get();
    }

    /** Gives slots and memory back, after the queue that the ring posted to is destroyed. */
    void destroyed() {
        table.remove(inFlight);
        release();
    }
}
