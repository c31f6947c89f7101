package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.soft.wire.Counters;
import io.rdma.internal.soft.wire.Packet;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - The upper 24 bits of a key identify one region or window; the lowest byte is its current variant. So a stale key
// matches nothing.
// - Every access to memory is checked here: key, domain, queue pair, rights and bounds.

/** The keys of a software device, for regions and for the windows bound to them. */
public final class MemoryKeys {
    private static final int KEY_BITS = 8;
    private static final int KEY_MASK = (1 << KEY_BITS) - 1;
    /** Bytes of a receive that one fault brings into memory: its message may be much shorter. */
    private static final long AHEAD_OF_MESSAGE = 256 << 10;

    private static final int REMOTE_WRITES = ACCESS_REMOTE_WRITE | ACCESS_REMOTE_ATOMIC;

    private final RandomGenerator random;
    private final OnDemandPaging paging;
    private final IntTable<SoftMr> regions = new IntTable<>();
    private final IntTable<SoftMw> windows = new IntTable<>();
    private final List<SoftMw> boundToQueuePairs = new ArrayList<>();

    /** Creates an empty set of keys, which cannot be guessed if the random numbers cannot. */
    public MemoryKeys(RandomGenerator random, Counters counters, Personality personality) {
        this.random = random;
        paging = new OnDemandPaging(this, counters, personality);
    }

    /** Returns the access to on-demand memory, whose addresses are negative. */
    public OnDemandPaging paging() {
        return paging;
    }

    /** Returns an unused key that cannot be guessed. */
    public int fresh() {
        int key;
        do {
            key = random.nextInt();
        } while (index(key) == 0 || regions.get(index(key)) != null || windows.get(index(key)) != null);
        return key;
    }

    private static int index(int key) {
        return key >>> KEY_BITS;
    }

    static boolean sameIndex(int key, int other) {
        return index(key) == index(other);
    }

    /** Returns the next key of the same window, {@code ibv_inc_rkey(3)}. */
    public static int next(int key) {
        return key & ~KEY_MASK | key + 1 & KEY_MASK;
    }

    public void add(SoftMr region) {
        regions.put(index(region.key), region);
    }

    public void remove(SoftMr region) {
        regions.remove(index(region.key));
    }

    public void add(SoftMw window) {
        windows.put(index(window.rkey), window);
    }

    /** Removes a window and revokes its binding. */
    public void remove(SoftMw window) {
        windows.remove(index(window.rkey));
        unbind(window);
    }

    private void unbind(SoftMw window) {
        window.unbind();
        boundToQueuePairs.remove(window);
    }

    /** Unbinds the windows of a queue pair that ends. */
    public void forget(SoftQp qp) {
        boundToQueuePairs.removeIf(window -> {
            boolean its = window.isBoundTo(qp);
            if (its) {
                window.unbind();
            }
            return its;
        });
    }

    /** Returns the region that a key names, or null. */
    public @Nullable SoftMr region(int key) {
        SoftMr region = regions.get(index(key));
        return region == null || region.key != key ? null : region;
    }

    /** Returns whether a key names a window. */
    public boolean isWindow(int key) {
        SoftMw window = windows.get(index(key));
        return window != null && window.rkey == key;
    }

    /** Returns the region that a key names itself, or by a window that is bound to it. Null if there is none. */
    @Nullable
    SoftMr behind(int key) {
        SoftMw window = windows.get(index(key));
        return window == null ? region(key) : window.region();
    }

    /**
     * Returns the process address of memory named by a local key; 0 if key, domain, range or rights do not match. A
     * negative address is one of on-demand memory, for {@link #paging} alone.
     */
    public long local(SoftPd pd, int key, long address, long bytes, int access) {
        SoftMr region = regions.get(index(key));
        return region == null || region.key != key ? 0 : region.translate(pd, address, bytes, access);
    }

    /** Returns the address by which a peer names the first byte of a region or window. */
    public long start(int key) {
        SoftMw window = windows.get(index(key));
        SoftMr region = region(key);
        return window != null ? window.start() : region == null ? 0 : region.iova;
    }

    /** Returns the length of a region or window; 0 if there is none. */
    public long bytes(int key) {
        SoftMw window = windows.get(index(key));
        SoftMr region = region(key);
        return window != null ? window.length() : region == null ? 0 : region.length;
    }

    /**
     * Returns the rights that an ATOMIC WRITE needs. The processor executes it. So memory that was registered on
     * demand, which may be unmapped at that moment, needs the right to atomics as well.
     */
    public int atomicWriteRights(int key) {
        SoftMr region = behind(key);
        return region == null || (region.access & ACCESS_ON_DEMAND) == 0 ? ACCESS_REMOTE_WRITE : REMOTE_WRITES;
    }

    /** Returns the process address of memory that a peer names by a region's or a window's key, or 0 as above. */
    public long remote(SoftQp qp, int key, long address, long bytes, int access) {
        return remote(qp, qp.pd, key, address, bytes, access);
    }

    /** Does the same for the domain at the time of the peer's request; the domain of an XRC target can change later. */
    public long remote(SoftQp qp, SoftPd pd, int key, long address, long bytes, int access) {
        SoftMw window = windows.get(index(key));
        if (window == null) {
            return local(pd, key, address, bytes, access);
        }
        return window.rkey != key ? 0 : window.translate(qp, address, bytes, access);
    }

    /**
     * Ends a binding. A work request can invalidate only a type 2 window, and only on the window's queue pair.
     *
     * @return whether it was bound
     */
    public boolean invalidate(SoftQp qp, int key) {
        SoftMw window = windows.get(index(key));
        if (window == null || window.rkey != key || window.type != MW_TYPE_2 || !window.isBoundTo(qp)) {
            return false;
        }
        unbind(window);
        return true;
    }

    /**
     * Binds a window.
     *
     * @return false if the binding is not allowed
     */
    public boolean bind(SoftQp qp, Bind bind) {
        SoftMw window = bind.window();
        if (windows.get(index(window.rkey)) != window
                || window.rkey != bind.oldKey()
                || !window.pd.matches(qp.pd)
                || !sameIndex(bind.newKey(), window.rkey)) {
            return false;
        }
        boolean type2 = window.type == MW_TYPE_2;
        if (type2 && (window.isBound() || bind.length() == 0)) {
            return false;
        }
        SoftMr region = bind.region();
        if (bind.length() == 0) {
            window.unbind();
        } else if (region == null || !allowed(qp, region, bind, type2)) {
            return false;
        } else {
            window.bind(qp, region, bind);
            if (type2) {
                boundToQueuePairs.add(window);
            }
        }
        window.rkey = bind.newKey();
        return true;
    }

    private boolean allowed(SoftQp qp, SoftMr region, Bind bind, boolean type2) {
        boolean writes = (bind.access() & REMOTE_WRITES) != 0;
        boolean zeroBased = (bind.access() & ACCESS_ZERO_BASED) != 0;
        return regions.get(index(region.key)) == region
                && (region.access & ACCESS_MW_BIND) != 0
                && (region.access & ACCESS_ZERO_BASED) == 0
                && (!writes || (region.access & ACCESS_LOCAL_WRITE) != 0)
                && (!zeroBased || type2)
                && (bind.access() & MemoryPlacement.ACCESS_FLUSHES & ~region.access) == 0
                && ((bind.access() & ACCESS_REMOTE_ATOMIC) == 0 || region.pages == null || !region.isVast())
                && region.translate(qp.pd, bind.address(), bind.length(), 0) != 0;
    }

    /**
     * Copies the payload of a packet into the memory of a request, starting at {@code offset}. If pages are missing,
     * brings all that the packet needs into memory. Device thread.
     */
    public Access scatter(SoftPd pd, QueuedRequest into, long offset, Packet packet) {
        return scatter(pd, into, offset, packet, false);
    }

    private Access scatter(SoftPd pd, QueuedRequest into, long offset, Packet packet, boolean atOnce) {
        long skip = offset;
        int copied = 0;
        boolean paged = false;
        Access result = Access.DONE;
        for (int i = 0; i < into.numSge && copied < packet.payload; i++) {
            int size = into.bytes(i);
            if (skip >= size) {
                skip -= size;
                continue;
            }
            int part = (int) Math.min(size - skip, packet.payload - copied);
            long to = local(pd, into.lkey(i), into.address(i) + skip, part, Ibv.ACCESS_LOCAL_WRITE);
            if (to > 0) {
                packet.copyOut(copied, to, part);
            } else {
                paged = true;
                long rest = size - skip;
                long ahead = into.answered() ? rest : Math.min(rest, AHEAD_OF_MESSAGE);
                Access access = to == 0 ? Access.REFUSED : paging.touch(into.lkey(i), to, part, ahead, true);
                if (access == Access.PAGE_FAULT && !atOnce) {
                    result = access;
                } else if (access == Access.REFUSED || !paging.store(packet, copied, to, part)) {
                    return Access.REFUSED;
                }
            }
            copied += part;
            skip = 0;
        }
        if (paged && result == Access.DONE) {
            paging.finished();
        }
        return copied == packet.payload ? result : Access.REFUSED;
    }

    /**
     * Does the same at once: the packet, of an unreliable transport, waits while missing pages come into memory, and
     * is copied without a second look at them.
     *
     * @return false if that memory may not be written
     */
    public boolean scatterAtOnce(SoftPd pd, QueuedRequest into, long offset, Packet packet) {
        return scatter(pd, into, offset, packet, true) == Access.DONE;
    }

    /** Writes the result of an atomic to the memory of its request. Device thread. */
    public Access scatterOriginal(SoftPd pd, QueuedRequest request, long original) {
        if (request.numSge != 1 || request.bytes(0) < Long.BYTES) {
            return Access.REFUSED;
        }
        long to = local(pd, request.lkey(0), request.address(0), Long.BYTES, ACCESS_LOCAL_WRITE);
        if (to > 0) {
            NativeMemory.putLong(to, original);
            return Access.DONE;
        }
        return to == 0 ? Access.REFUSED : paging.storeLong(request.lkey(0), to, original);
    }
}
