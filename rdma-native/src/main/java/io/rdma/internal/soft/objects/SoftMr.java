package io.rdma.internal.soft.objects;

import org.jspecify.annotations.Nullable;

/**
 * A memory region. One random key serves as lkey and rkey. The device thread reaches it by that key only between
 * registration and deregistration.
 */
public final class SoftMr extends SoftObject {
    public SoftPd pd;
    public long address;
    public long length;
    long iova;
    public int access;
    public int key;
    /** The device memory that it covers; null for memory of the application. */
    public final @Nullable SoftDm dm;

    public int windows; // number of windows bound to it; device thread

    public SoftMr(SoftPd pd, @Nullable SoftDm dm, long address, long length, long iova, int access, int key) {
        this.pd = pd;
        this.dm = dm;
        this.address = address;
        this.length = length;
        this.iova = iova;
        this.access = access;
        this.key = key;
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
    }

    /** Returns the process address of a range named by iova, or 0 if range, domain or rights differ. Overflow-safe. */
    long translate(SoftPd wantedPd, long from, long bytes, int wantedAccess) {
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
        return address + offset;
    }
}
