package io.rdma.internal.soft.objects;

import static io.rdma.internal.ffi.Ibv.ACCESS_ZERO_BASED;
import static io.rdma.internal.ffi.Ibv.MW_TYPE_2;

import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - Bound exactly while `region` is there; each bound window counts in its region's `windows`.
// - A type 2 window is bound to the queue pair that bound it, and to be bound it must be free. Binding gives the lowest
// byte of its key.

/** A memory window: rights to a part of a region, under a key of its own. IB spec volume 1, 10.6.7. */
public final class SoftMw extends SoftObject {
    public final SoftPd pd;
    public final int type;
    public int rkey;
    /** {@code ibv_mw.rkey}: what the application has, ahead of the device while a binding is posted. */
    public volatile int key;

    private @Nullable SoftMr region;
    private @Nullable SoftQp qp;
    private long address;
    private long length;
    private int access;

    public SoftMw(SoftPd pd, int type, int rkey) {
        this.pd = pd;
        this.type = type;
        this.rkey = rkey;
        this.key = rkey;
    }

    boolean isBound() {
        return region != null;
    }

    boolean isBoundTo(SoftQp candidate) {
        return region != null && qp == candidate;
    }

    void bind(SoftQp from, SoftMr to, Bind bind) {
        unbind();
        to.windows++;
        region = to;
        qp = type == MW_TYPE_2 ? from : null;
        address = bind.address();
        length = bind.length();
        access = bind.access();
    }

    void unbind() {
        SoftMr bound = region;
        if (bound != null) {
            bound.windows--;
            region = null;
            qp = null;
        }
    }

    /**
     * Process address of a range that the peer of a queue pair names, or 0 where that is not allowed. Overflow-safe.
     */
    long translate(SoftQp through, long from, long bytes, int wantedAccess) {
        SoftMr bound = region;
        long base = (access & ACCESS_ZERO_BASED) != 0 ? 0 : address;
        long offset = from - base;
        if (bound == null
                || !through.pd.matches(pd)
                || type == MW_TYPE_2 && qp != through
                || (access & wantedAccess) != wantedAccess
                || Long.compareUnsigned(from, base) < 0
                || offset < 0
                || bytes < 0
                || offset > length
                || bytes > length - offset) {
            return 0;
        }
        return bound.translate(pd, address + offset, bytes, 0); // again: it may have been registered anew in between
    }
}
