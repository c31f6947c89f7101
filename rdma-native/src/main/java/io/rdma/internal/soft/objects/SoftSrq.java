package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.EVENT_SRQ_ERR;
import static io.rdma.internal.ibv.Ibv.EVENT_SRQ_LIMIT_REACHED;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Invariants
// - `posted` grows under the monitor; `taken` and `limit` belong to the device thread. freed <= taken <= posted.
// - Requests are taken in the order of posting. A slot is free again when the completion is polled or dropped, in any
// order. So free slots are only counted, and a queue pair exchanges its own request object for the one that it takes.

/** A shared receive queue: receives that any of its queue pairs takes. */
public final class SoftSrq extends SoftObject {
    public final SoftPd pd;
    public final int maxSge;
    private final QueuedRequest[] slots;
    private final AtomicLong freed = new AtomicLong();
    private volatile long posted;
    private long taken;
    private int limit; // 0: not armed
    private boolean failed; // device thread
    public final @Nullable SoftXrcd xrcd; // XRC only, as are `cq` and `number`
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

    @Override
    public String struct() {
        return "ibv_srq";
    }

    /** Creates a request object; a queue pair exchanges it for the first one it takes. */
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

    /** Posts the request in the slot that {@link #free} returned. The caller holds the monitor. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    public void publish() {
        posted = posted + 1;
    }

    /**
     * Takes the oldest request for good. Device thread.
     *
     * @param brought request object that replaces it in the ring
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

    /** Fails the queue, so that no request can be taken: {@code IBV_EVENT_SRQ_ERR}. Device thread. */
    public void fail() {
        failed = true;
        pd.context.tell(EVENT_SRQ_ERR, this, 0);
    }

    /** Frees a slot, after its completion was polled or dropped. */
    void release() {
        freed.incrementAndGet();
    }

    /** Arms the limit event. Device thread. */
    public void arm(int below) {
        limit = below;
    }

    /** Returns the armed limit, or 0. Device thread. */
    public int limit() {
        return limit;
    }
}
