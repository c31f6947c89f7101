package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.ACCESS_ZERO_BASED;
import static io.rdma.internal.ibv.Ibv.MW_TYPE_2;

import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - A window is bound exactly while `region` is not null. Each bound window counts in its region's `windows`.
// - A type 2 window belongs to the queue pair that bound it, and only an unbound one can be bound. The binding sets the
// lowest byte of its key.

/** A memory window: rights to a part of a region, under a key of its own. IB specification volume 1, 10.6.7. */
public final class SoftMw extends SoftObject {
    public final SoftPd pd;
    public final int type;
    public int rkey;
    /** {@code ibv_mw.rkey}, as the application sees it. It is ahead of {@link #rkey} while a binding is posted. */
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

    @Override
    public String struct() {
        return "ibv_mw";
    }

    boolean isBound() {
        return region != null;
    }

    /** Returns the region that it is bound to, or null. */
    @Nullable
    SoftMr region() {
        return region;
    }

    boolean isBoundTo(SoftQp candidate) {
        return region != null && qp == candidate;
    }

    /** Returns the address by which a peer names the first byte. */
    long start() {
        return (access & ACCESS_ZERO_BASED) != 0 ? 0 : address;
    }

    long length() {
        return region == null ? 0 : length;
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

    /** Returns the process address of a range that a peer names, or 0 if that is not allowed. Overflow-safe. */
    long translate(SoftQp through, long from, long bytes, int wantedAccess) {
        SoftMr bound = region;
        long base = start();
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
        return bound.translate(pd, address + offset, bytes, 0); // again: the region may have been reregistered
    }
}
