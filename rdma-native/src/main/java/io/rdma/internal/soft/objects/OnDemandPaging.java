package io.rdma.internal.soft.objects;

import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.os.ProcessMemory;
import io.rdma.internal.soft.wire.Counter;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Packet;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - The address of on-demand memory is negative, see SoftMr. Only this class accesses it: the application may unmap
// the memory at any time.
// - `staging` holds the payload of the packet that is being built. A packet is consumed before the next one is built.
// - The pages of an access that was answered by PAGE_FAULT are there when it is tried again: of its own accord the
// device takes pages away only after a packet has got all of its memory. So each packet gets on, however many pieces of
// memory it has, and the retries of the peer suffice.

/**
 * On-demand paging of a software device. A page that the device has not mapped is a fault. The fault brings the page
 * into memory, and delays the packet or the work request.
 */
public final class OnDemandPaging {
    /** Result of {@link #source} and {@link #atomicTarget} for {@link Access#PAGE_FAULT}. */
    public static final long FAULT = -1;

    /** Most bytes that a fault brings into memory, from the start of the access on. */
    private static final long MOST_AHEAD = 4 << 20;

    private static final int EVICT_EVERY = 13; // a prime, so that the eviction falls on each kind of access in turn

    private final MemoryKeys keys;
    private final Counters counters;
    private final boolean evictsOften;
    private @Nullable MemorySegment staging; // of the payload of one packet
    private int epoch;
    private int packets;
    private @Nullable PageTable lastPages; // of the last piece of memory that was there
    private long lastAddress;
    private long lastBytes;

    OnDemandPaging(MemoryKeys keys, Counters counters, Personality personality) {
        this.keys = keys;
        this.counters = counters;
        evictsOften = personality == Personality.ON_DEMAND;
    }

    /** Takes all pages of all regions away from the device, as the kernel does when memory is short. */
    public void evict() {
        epoch++;
    }

    /**
     * Makes the device able to access memory.
     *
     * @param key key of the region or window
     * @param to negative address
     * @param ahead number of bytes from there on that the same operation needs, at least {@code bytes}
     */
    public Access touch(int key, long to, long bytes, long ahead, boolean write) {
        lastPages = null;
        SoftMr region = keys.behind(key);
        PageTable pages = region == null ? null : region.pages;
        if (pages == null) {
            return Access.REFUSED;
        }
        int forgotten = pages.enter(epoch);
        counters.add(Counter.PAGE_INVALIDATIONS, forgotten);
        long address = SoftMr.address(to);
        if (pages.has(address, bytes, write)) {
            if (evictsOften) {
                lastPages = pages;
                lastAddress = address;
                lastBytes = bytes;
            }
            return Access.DONE;
        }
        counters.count(Counter.PAGE_FAULTS);
        long most = Math.max(bytes, Math.min(ahead, MOST_AHEAD));
        if (ProcessMemory.populate(address, most, write)) {
            add(pages, address, most, write);
        } else if (most > bytes && ProcessMemory.populate(address, bytes, write)) {
            add(pages, address, bytes, write);
        } else {
            return Access.REFUSED;
        }
        return Access.PAGE_FAULT;
    }

    private void add(PageTable pages, long address, long bytes, boolean write) {
        counters.add(Counter.PAGE_INVALIDATIONS, pages.add(address, bytes, write));
    }

    /** Notes that a packet has got all of its on-demand memory, so that pages may be taken away again. */
    public void finished() {
        PageTable pages = lastPages;
        if (pages != null) {
            lastPages = null;
            if (++packets % EVICT_EVERY == 0) {
                counters.add(Counter.PAGE_INVALIDATIONS, pages.remove(lastAddress, lastBytes));
            }
        }
    }

    /**
     * Copies a piece of a packet's payload from on-demand memory.
     *
     * @param packet packet that is being built, to which the piece is to be added
     * @return address of the copy; 0 if the memory is not mapped, or {@link #FAULT}
     */
    public long source(Packet packet, int key, long from, int bytes, long ahead) {
        Access access = touch(key, from, bytes, ahead, false);
        if (access != Access.DONE) {
            return access == Access.PAGE_FAULT ? FAULT : 0;
        }
        long to = staging() + packet.payload;
        return ProcessMemory.read(SoftMr.address(from), to, bytes) ? to : 0;
    }

    private long staging() {
        MemorySegment memory = staging;
        if (memory == null) {
            memory = staging = Arena.ofAuto().allocate(Packet.LONGEST_JOINED, Long.BYTES);
        }
        return memory.address();
    }

    /**
     * Copies a part of a packet's payload to on-demand memory that {@link #touch} has not refused. The kernel copies,
     * so this is safe whatever the table says.
     *
     * @return false if the memory was unmapped since
     */
    public boolean store(Packet packet, int offset, long to, int bytes) {
        return packet.copyOutIfMapped(offset, SoftMr.address(to), bytes);
    }

    /** Writes eight bytes to on-demand memory. */
    Access storeLong(int key, long to, long value) {
        Access access = touch(key, to, Long.BYTES, Long.BYTES, true);
        if (access != Access.DONE) {
            return access;
        }
        long from = staging();
        NativeMemory.putLong(from, value);
        finished();
        return ProcessMemory.write(from, SoftMr.address(to), Long.BYTES) ? Access.DONE : Access.REFUSED;
    }

    /**
     * Returns the address of an atomic's operand. The processor changes it, so the application must not unmap it
     * meanwhile. That is why a vast region allows no atomics, and no window of it either.
     *
     * @return address; 0 if the memory is not mapped, or {@link #FAULT}
     */
    public long atomicTarget(int key, long to) {
        SoftMr region = keys.behind(key);
        if (region == null || region.isVast()) {
            return 0;
        }
        Access access = touch(key, to, Long.BYTES, Long.BYTES, true);
        if (access == Access.PAGE_FAULT) {
            return FAULT;
        }
        finished();
        long address = SoftMr.address(to);
        return access == Access.DONE && ProcessMemory.populate(address, Long.BYTES, true) ? address : 0;
    }

    /** Adds pages that are in memory. The application has asked for them, {@code ibv_advise_mr(3)}. */
    public void prefetched(SoftMr region, long address, long bytes, boolean write) {
        PageTable pages = region.pages;
        if (pages != null && bytes > 0) {
            counters.add(Counter.PAGE_INVALIDATIONS, pages.enter(epoch));
            add(pages, address, bytes, write);
        }
    }
}
