package io.rdma.internal.soft.objects;

import io.rdma.internal.ibv.Ibv;
import org.jspecify.annotations.Nullable;

/**
 * A memory region. One random key serves as lkey and rkey. The device thread reaches it by that key only between
 * registration and deregistration.
 */
public final class SoftMr extends SoftObject {
    private static final long PAGED = Long.MIN_VALUE; // no address of an application has this bit
    /** Half of the addresses of a process: a longer region has memory in it that the JVM unmaps at any time. */
    private static final long VAST = 1L << 46;

    /**
     * Length of the region over all memory. No region reaches the address behind it, which on demand would be
     * {@link OnDemandPaging#FAULT}.
     */
    public static final long EVERYTHING = Long.MAX_VALUE - 1;

    public SoftPd pd;
    public long address;
    public long length;
    public long iova;
    /** Rights as registered. */
    public int access;

    public int key;
    /** The device memory that it covers; null for memory of the application. */
    public final @Nullable SoftDm dm;

    /** The pages that the device can access; null if all of the region is pinned. */
    @Nullable
    PageTable pages;

    /** Address by which the device accesses the region: negative if the region is paged on demand. */
    private long base;

    /** Whether reads of it return zeros and writes to it are lost, {@code ibv_alloc_null_mr(3)}. */
    public final boolean nothing;

    public int windows; // number of windows bound to it; device thread

    public SoftMr(SoftPd pd, @Nullable SoftDm dm, long address, long length, long iova, int access, int key) {
        this(pd, dm, address, length, iova, access, key, false);
    }

    private SoftMr(
            SoftPd pd,
            @Nullable SoftDm dm,
            long address,
            long length,
            long iova,
            int access,
            int key,
            boolean nothing) {
        this.nothing = nothing;
        this.pd = pd;
        this.dm = dm;
        this.address = address;
        this.length = length;
        this.iova = iova;
        this.access = access;
        this.key = key;
        page();
    }

    private void page() {
        length = isEverything(address, length) ? EVERYTHING : length;
        boolean paged =
                dm == null && !nothing && pd.context.device.personality().pages(access);
        pages = paged ? new PageTable() : null;
        base = pages == null ? address : address | PAGED;
    }

    /** Returns whether a registration is that of all memory, {@code NULL} and {@code SIZE_MAX}. */
    public static boolean isEverything(long address, long length) {
        return address == 0 && length == -1;
    }

    /** Returns whether it is the region over all memory. */
    public boolean isEverything() {
        return !nothing && address == 0 && length == EVERYTHING;
    }

    /** Returns whether a length is that of a region over most of the process, which allows no atomics. */
    public static boolean isVast(long length) {
        return Long.compareUnsigned(length, VAST) >= 0;
    }

    boolean isVast() {
        return isVast(length);
    }

    /** Returns the process address of a range named by iova, whatever the rights, or -1 if it is not inside. */
    public long processAddress(long from, long bytes) {
        long found = translate(pd, from, bytes, 0);
        return found == 0 ? -1 : address(found);
    }

    /** Returns the address of memory that {@link #translate} has found, which may be unmapped if it is paged. */
    public static long address(long translated) {
        return translated & ~PAGED;
    }

    /** Creates a null region. Only local work requests can name it, with any address. */
    public static SoftMr nothing(SoftPd pd, int key) {
        return new SoftMr(pd, null, 0, Long.MAX_VALUE, 0, Ibv.ACCESS_LOCAL_WRITE, key, true);
    }

    @Override
    public String struct() {
        return "ibv_mr";
    }

    /** Reregisters it. Device thread, while no key names it. */
    public void change(SoftPd newPd, long newAddress, long newLength, long newIova, int newAccess, int newKey) {
        pd = newPd;
        address = newAddress;
        length = newLength;
        iova = newIova;
        access = newAccess;
        key = newKey;
        page();
    }

    /**
     * Returns the process address of a range named by iova, or 0 if range, domain or rights differ. Overflow-safe. The
     * address is negative if the region is paged on demand: then only {@link OnDemandPaging} may access the memory.
     */
    long translate(SoftPd wantedPd, long from, long bytes, int wantedAccess) {
        if (nothing) {
            return wantedPd.matches(pd) && (access & wantedAccess) == wantedAccess && bytes >= 0
                    ? NullMemory.address(wantedAccess)
                    : 0;
        }
        long offset = from - iova;
        if (!wantedPd.matches(pd)
                || (access & wantedAccess) != wantedAccess
                || Long.compareUnsigned(from, iova) < 0
                || offset < 0
                || bytes < 0
                || offset > length
                || bytes > length - offset) {
            return 0;
        }
        return base + offset;
    }
}
