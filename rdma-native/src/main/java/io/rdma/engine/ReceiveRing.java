package io.rdma.engine;

import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

// Invariants
// - A slot is in exactly one place: posted to the device, with the receive queue of a connection, or in `returned`.
// - The device always keeps receives while slots come back: they are re-posted in batches, but at once when half the
// application's are out.
// - Each queue that gets slots from here retains the region until none is out, so it outlives ring and connection.
// - Receives are counted as posted by who posts, and as completed by the loop: no count has two writers.

/** Receive buffers in one slab: posted ahead, and posted again when they are given back. Of one connection, or shared by many. */
final class ReceiveRing implements InFlightTable.Owner {
    /** Where a ring posts, and who hears of it. */
    interface Device {
        /** As {@code ibv_post_recv(3)}: 0 or a negative errno. */
        int post(ReceiveChain chain);

        int postedBeforeFailure(ReceiveChain chain);

        /** Slots that were given back are posted again. The thread that posts. */
        void reposted(int messages, int control);

        /** The device took them not. */
        void refused(VerbsException error);

        /** A receive has ended; the slot is the receiver's to give back. Loop. */
        void completed(int slot, CompletionBatch completions, int index);
    }

    private static final int MAX_BATCH = 16;
    private static final int ALIGNMENT = 64;

    private final InFlightTable table;
    private final LoopCounters counters;
    private final Device device;
    private final MemoryRegion region;
    private final int count;
    private final int size;
    private final boolean
            frameApart; // frames lie behind all buffers, which so are as aligned as their size; else each before its
    // buffer
    private final int frameBytes;
    private final long stride;
    private final int half; // posted when half of the application's buffers are out
    private final int batch;
    private final int base;
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
     * @param size bytes of each
     * @param framed whether there is room for a {@link Frame}
     * @param frameApart whether frames have entries of their own
     * @throws IllegalStateException if the completion queue has no room
     */
    ReceiveRing(
            CompletionLoop loop,
            ProtectionDomain domain,
            Device device,
            int count,
            int spare,
            int size,
            boolean framed,
            boolean frameApart) {
        this.table = loop.table();
        this.counters = loop.counters();
        this.device = device;
        this.count = count;
        this.size = size;
        this.frameApart = framed && frameApart;
        this.frameBytes = framed ? Frame.BYTES : 0;
        this.stride =
                this.frameApart || !framed ? size : (long) (size + Frame.BYTES + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        int messages = count - spare;
        this.half = count - (messages + 1) / 2;
        this.batch = Math.max(1, Math.min(MAX_BATCH, messages / 4));
        this.control = new boolean[count];
        this.returned = new MpscVarHandleArrayQueue<>(Math.max(2, count));
        this.chain = new ReceiveChain(Math.min(count, 64), 2);
        this.region = domain.allocate(
                count * (this.frameApart ? stride + Frame.BYTES : stride), EnumSet.of(AccessFlag.LOCAL_WRITE));
        this.buffers = new MemorySegment[count];
        this.wholes = this.frameApart || !framed ? buffers : new MemorySegment[count];
        this.arrivals = new ArrivedMessages(count);
        this.boxed = new Integer[count];
        for (int i = 0; i < count; i++) {
            if (wholes != buffers) {
                wholes[i] = region.segment().asSlice(i * stride, frameBytes + size);
            }
            buffers[i] = region.segment().asSlice(i * stride + (this.frameApart ? 0 : frameBytes), size);
            boxed[i] = i;
        }
        this.base = table.reserve(count, this);
        if (base < 0) {
            region.close();
            throw new IllegalStateException("completion queue has no room for " + count + " receives more: "
                    + table.free() + " entries are left");
        }
    }

    /** Posts the whole ring, before anybody may send. */
    void postAll() {
        for (Integer slot : boxed) {
            returned.add(slot);
        }
        repost(1, true);
    }

    /** Receives that the device holds now. */
    int posted() {
        // In this order: too few, if anything, so what comes back is posted sooner.
        return posted.get() - completed.get();
    }

    /** Slots that are neither with the device nor on their way back to it. */
    int outstanding() {
        return count - posted() - returned.size();
    }

    /** Whether half of the application's slots, or more, are out. */
    boolean isScarce() {
        return outstanding() >= count - half;
    }

    /** Slots. */
    int count() {
        return count;
    }

    /** Bytes of each buffer. */
    int size() {
        return size;
    }

    /** Holds the memory beyond the ring; {@link #release} ends it. */
    void retain() {
        region.retain();
    }

    void release() {
        region.release();
    }

    /** The memory that frames lie in. */
    MemorySegment frames() {
        return region.segment();
    }

    /** Where a slot's frame begins there. */
    long frame(int slot) {
        return frameApart ? count * stride + (long) slot * Frame.BYTES : slot * stride;
    }

    /** A slot's buffer, behind its frame. */
    MemorySegment buffer(int slot) {
        return buffers[slot];
    }

    /** A slot's memory from its first byte, for a message that came without a frame; only where frames are not apart. */
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

    /** Posts what was given back if it is at least {@code least}; the first posting is what the peer knows from the exchange. */
    private void repost(int least, boolean first) {
        if (returned.size() < least || wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            while (!closed && fillChain()) {
                int length = chain.size();
                posted.setRelease(posted.getPlain() + length);
                int result = device.post(chain);
                if (result != 0) {
                    posted.setRelease(posted.getPlain() + device.postedBeforeFailure(chain) - length);
                    device.refused(new VerbsException("ibv_post_recv", -result, null));
                    break;
                }
                if (!first) {
                    counters.reposted(length);
                    device.reposted(length - controlInChain, controlInChain);
                }
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private boolean fillChain() {
        chain.clear();
        controlInChain = 0;
        Integer slot;
        while (!chain.isFull() && (slot = returned.poll()) != null) {
            chain.add(table.arm(base + slot));
            if (frameApart) {
                chain.entry(region.segment().address() + frame(slot), Frame.BYTES, region.lkey());
                chain.entry(buffers[slot].address(), size, region.lkey());
            } else {
                chain.entry(buffers[slot].address() - frameBytes, frameBytes + size, region.lkey());
            }
            controlInChain += control[slot] ? 1 : 0;
        }
        return chain.size() > 0;
    }

    /** Stops re-posting. */
    void stop() {
        closed = true;
    }

    /** Whether no thread posts, or ever will: a re-post that starts after the stop posts nothing. */
    boolean isQuiet() {
        return closed && wip.get() == 0;
    }

    /** After the queue that it posted to is destroyed: gives slots and memory back. */
    void destroyed() {
        table.release(base, count);
        region.close();
    }
}
