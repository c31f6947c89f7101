package io.rdma.internal.soft;

/** A memory region; one random key serves as lkey and rkey. Known to the device thread only between register and deregister. */
final class SoftMr extends SoftObject {
    final SoftPd pd;
    final long address;
    final long length;
    final long iova;
    final int access;
    final int key;
    int windows; // bound to it; device thread

    SoftMr(SoftPd pd, long address, long length, long iova, int access, int key) {
        this.pd = pd;
        this.address = address;
        this.length = length;
        this.iova = iova;
        this.access = access;
        this.key = key;
    }

    /** Process address of a range named by iova, or 0 when the range, the domain or the rights do not fit. Overflow-safe. */
    long translate(SoftPd wantedPd, long from, long bytes, int wantedAccess) {
        long offset = from - iova;
        if (wantedPd != pd
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
