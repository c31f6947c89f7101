package io.rdma.internal.soft;

import static io.rdma.internal.ibv.Ibv.SRQ_LIMIT;
import static io.rdma.internal.soft.objects.SoftLimits.outside;

import io.rdma.internal.ibv.Srq;
import io.rdma.internal.ibv.SrqAttr;
import io.rdma.internal.soft.objects.SoftLimits;
import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.objects.SoftSrq;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;

/**
 * Shared receive queues of the software device, from creation to destruction; {@link SoftXrc} creates those of XRC
 * domains. The monitor of its {@link SoftVerbs} guards them, like the rest of the control path.
 */
final class SoftSharedReceiveQueues {
    private final SoftVerbs verbs;

    SoftSharedReceiveQueues(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    Srq create(long pd, SrqAttr attr) {
        synchronized (verbs) {
            SoftPd owner = verbs.object("ibv_create_srq", pd, SoftPd.class);
            check("ibv_create_srq", attr);
            owner.users++;
            SoftSrq made = new SoftSrq(owner, attr.maxWr(), attr.maxSge());
            return new Srq(verbs.handles.add(made), new SrqAttr(attr.maxWr(), attr.maxSge(), 0));
        }
    }

    /** Refuses a depth that the device does not have. */
    void check(String call, SrqAttr attr) {
        SoftLimits limits = verbs.personality().limits();
        if (attr.maxWr() == 0
                || outside(attr.maxWr(), limits.srqWr())
                || attr.maxSge() == 0
                || outside(attr.maxSge(), limits.sge())) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "A shared receive queue has 1 to " + limits.srqWr() + " requests of 1 to " + limits.sge()
                            + " entries");
        }
    }

    void modify(long srq, SrqAttr attr, int mask) {
        synchronized (verbs) {
            SoftSrq object = verbs.object("ibv_modify_srq", srq, SoftSrq.class);
            if (mask != SRQ_LIMIT || outside(attr.srqLimit(), object.depth())) {
                throw new VerbsException(
                        "ibv_modify_srq", Errno.EINVAL, "Only the limit can be changed, from 0 to " + object.depth());
            }
            verbs.device().call(() -> {
                object.arm(attr.srqLimit());
                return 0;
            });
        }
    }

    SrqAttr query(long srq) {
        synchronized (verbs) {
            SoftSrq object = verbs.object("ibv_query_srq", srq, SoftSrq.class);
            return new SrqAttr(object.depth(), object.maxSge, verbs.device().call(object::limit));
        }
    }

    void destroy(long srq) {
        synchronized (verbs) {
            SoftSrq object = verbs.object("ibv_destroy_srq", srq, SoftSrq.class);
            verbs.release("ibv_destroy_srq", object);
            object.pd.context.forget(object);
            object.pd.users--;
            if (object.xrcd != null && object.cq != null) {
                verbs.xrc().destroyed(object, object.xrcd, object.cq);
            }
        }
    }
}
