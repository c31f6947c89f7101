package io.rdma.internal.soft.objects;

import static io.rdma.internal.ffi.Ibv.EVENT_SRQ_ERR;
import static io.rdma.internal.ffi.Ibv.EVENT_SRQ_LIMIT_REACHED;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Invariants
// - `posted` grows under the monitor, `taken` and `limit` belong to the device thread; freed <= taken <= posted.
// - A request is taken in the order of posting; its place is free again when its completion is polled or dropped, in
// any order: so places are counted, and the request that a queue pair takes changes place with one that it brings.

/** A shared receive queue: requests that any of its queue pairs takes. */
public final class SoftSrq extends SoftObject {
    public final SoftPd pd;
    public final int maxSge;
    private final QueuedRequest[] slots;
    private final AtomicLong freed = new AtomicLong();
    private volatile long posted;
    private long taken;
    private int limit; // 0: not armed
    private boolean failed; // device thread
    public final @Nullable SoftXrcd xrcd; // XRC only, as its queue and number
    public final @Nullable SoftCq cq;
    public final int number;

    public SoftSrq(SoftPd pd, int depth, int maxSge) {
        this(pd, depth, maxSge, null, null, 0);
    }

    public SoftSrq(SoftPd pd, int depth, int maxSge, @Nullable SoftXrcd xrcd, @Nullable SoftCq cq, int number) {
        this.xrcd = xrcd;
        this.cq = cq;
        this.number = number;
        this.pd = pd;
        this.maxSge = maxSge;
        slots = new QueuedRequest[depth];
        for (int i = 0; i < depth; i++) {
            slots[i] = place();
        }
    }

    /** What a queue pair brings at first. */
    QueuedRequest place() {
        return new QueuedRequest(maxSge, 0);
    }

    public int depth() {
        return slots.length;
    }

    public boolean full() {
        return posted - freed.get() >= slots.length;
    }

    public QueuedRequest free() {
        return slots[(int) (posted % slots.length)];
    }

    /** The caller holds the monitor. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    public void publish() {
        posted = posted + 1;
    }

    /**
     * The oldest request, for good. Device thread.
     *
     * @param brought takes its place
     * @return null if nothing is posted
     */
    @Nullable
    QueuedRequest take(QueuedRequest brought) {
        if (taken == posted || failed) {
            return null;
        }
        int slot = (int) (taken++ % slots.length);
        QueuedRequest request = slots[slot];
        slots[slot] = brought;
        if (posted - taken < limit) {
            limit = 0;
            pd.context.tell(EVENT_SRQ_LIMIT_REACHED, this, 0);
        }
        return request;
    }

    /** Gives nothing any more: {@code IBV_EVENT_SRQ_ERR}. Device thread. */
    public void fail() {
        failed = true;
        pd.context.tell(EVENT_SRQ_ERR, this, 0);
    }

    /** A completion was polled, or will never be. */
    void release() {
        freed.incrementAndGet();
    }

    /** Device thread. */
    public void arm(int below) {
        limit = below;
    }

    /** Device thread. */
    public int limit() {
        return limit;
    }
}
