package io.rdma.internal.engine;

import io.rdma.internal.close.CloseSteps;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.ReceiveChain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

// Invariants
// - The slots lie in one slab, or in several that the grower adds. The first slab holds all frames that lie apart.
// - One thread at a time is the grower, see ReceiveGrowth. It writes what belongs to new slots before other threads get
// their numbers from the ring.
// - The ring holds the memory. So does each receive queue that gets slots from the ring, until it has terminated and no
// message of it is open. So the memory may outlive the ring and the connection.

/** Memory of the slots of a {@link ReceiveRing}: for each a buffer, and room for a frame if messages have one. */
final class ReceiveSlots {
    private static final int ALIGNMENT = 64;

    private final ProtectionDomain domain;
    private final MemoryRegion region; // the first slab
    private final List<MemoryRegion> slabs = new ArrayList<>(); // guarded by itself
    private final AtomicInteger holders = new AtomicInteger(1);
    private final int count;
    private final int size;
    // Frames lie behind all buffers, which are thus as aligned as their size; else before each.
    private final boolean frameApart;
    private final int frameBytes;
    private final long stride;
    private final long framesAt; // in the first slab, where they lie apart
    private final int[] lkeys; // by slot; (grower)
    private final MemorySegment[] buffers; // (grower)
    private final MemorySegment[] wholes; // buffers with the frame before them; `buffers` where there is none
    private volatile int made; // (grower) slots that exist by now

    /**
     * Allocates the first slots.
     *
     * @param count of slots, at most
     * @param first of slots that exist at once
     * @param size bytes of each buffer
     * @param framed whether there is room for a {@link Frame}
     * @param frameApart whether frames have entries of their own
     */
    ReceiveSlots(ProtectionDomain domain, int count, int first, int size, boolean framed, boolean frameApart) {
        this.domain = domain;
        this.count = count;
        this.size = size;
        this.frameApart = framed && frameApart;
        this.frameBytes = framed ? Frame.BYTES : 0;
        this.stride = this.frameApart || !framed ? size : aligned(size + Frame.BYTES);
        this.buffers = new MemorySegment[count];
        this.wholes = this.frameApart || !framed ? buffers : new MemorySegment[count];
        this.lkeys = new int[count];
        int atFirst = domain.usesHugePages() ? count : first;
        this.framesAt = aligned(atFirst * stride); // buffers may have an odd size, but frames hold integers
        this.region = allocate(framesAt + (this.frameApart ? (long) count * Frame.BYTES : 0));
        slabs.add(region);
        cut(region, 0, atFirst);
    }

    private static long aligned(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private MemoryRegion allocate(long bytes) {
        return domain.allocate(bytes, domain.policy().forMessages(EnumSet.of(AccessFlag.LOCAL_WRITE)));
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
    }

    /**
     * Registers memory for more slots. Grower. Slow.
     *
     * @throws RuntimeException if there is no memory; the slots stay as they are
     */
    void add(int more) {
        MemoryRegion slab = allocate(more * stride);
        synchronized (slabs) {
            slabs.add(slab); // the memory is still held: its holder waits until no thread adds slots
        }
        cut(slab, made, made + more);
    }

    /** Returns the number of slots that exist. */
    int made() {
        return made;
    }

    /** Returns whether all slots exist. */
    boolean isWhole() {
        return made == count;
    }

    /** Returns the largest number of slots. */
    int count() {
        return count;
    }

    /** Returns the bytes of each buffer. */
    int size() {
        return size;
    }

    /** Returns the memory in which the frame of a slot lies. */
    MemorySegment frames(int slot) {
        return frameApart ? region.segment() : wholes[slot];
    }

    /** Returns the offset of a slot's frame in {@link #frames}. */
    long frame(int slot) {
        return frameApart ? framesAt + (long) slot * Frame.BYTES : 0;
    }

    /** Returns a slot's buffer, without its frame. */
    MemorySegment buffer(int slot) {
        return buffers[slot];
    }

    /** Returns a slot's memory from its first byte, for a message without a frame; only where frames are not apart. */
    MemorySegment whole(int slot) {
        return wholes[slot];
    }

    /** Adds the entries of a slot to the last receive of a chain. */
    void addTo(ReceiveChain chain, int slot) {
        if (frameApart) {
            chain.entry(region.segment().address() + frame(slot), Frame.BYTES, region.lkey());
            chain.entry(buffers[slot].address(), size, lkeys[slot]);
        } else {
            chain.entry(buffers[slot].address() - frameBytes, frameBytes + size, lkeys[slot]);
        }
    }

    /** Holds the memory beyond the life of the ring, until {@link #release}. */
    void retain() {
        holders.incrementAndGet();
    }

    /** Ends one hold. The last one closes the memory. */
    void release() {
        if (holders.decrementAndGet() == 0) {
            CloseSteps steps = new CloseSteps();
            synchronized (slabs) {
                slabs.forEach(slab -> steps.run(slab::close));
            }
            steps.report();
        }
    }
}
