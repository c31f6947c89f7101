package io.rdma.internal.soft;

import static io.rdma.internal.ibv.Ibv.*;
import static io.rdma.internal.ibv.MemoryPlacement.QP_EX_WITH_FLUSH;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.soft.device.Posting;
import io.rdma.internal.soft.objects.SoftCq;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.util.BitSet;
import java.util.Objects;

/**
 * Implementation of {@link ExtendedVerbs} by the software device. It uses the rings of the classic interface with the
 * rules of the extended one.
 */
final class SoftExtended implements ExtendedVerbs {
    private static final long STAMPS = WC_EX_WITH_COMPLETION_TIMESTAMP | WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK;

    private final SoftVerbs verbs;

    SoftExtended(SoftVerbs verbs) {
        this.verbs = verbs;
    }

    @Override
    public Qp createQpEx(long pd, QpInitAttr attr, long sendOps) {
        long supported = supported(attr.qpType());
        if (sendOps == 0 || (sendOps & ~supported) != 0) {
            throw new VerbsException(
                    "ibv_create_qp_ex",
                    Errno.EOPNOTSUPP,
                    verbs.name() + " has not all of the send operations 0x" + Long.toHexString(sendOps)
                            + " for queue pairs of this type, but 0x" + Long.toHexString(supported));
        }
        Qp made = verbs.createQp(pd, attr);
        Objects.requireNonNull(verbs.handles.find(made.handle(), SoftQp.class)).sendOps = sendOps;
        return made;
    }

    /** Returns the operations that queue pairs of a type can be created for, {@code IBV_QP_EX_WITH_*}. */
    private long supported(int type) {
        int operations = verbs.personality().operations(SoftQueuePairs.transport(verbs, type));
        boolean placement = verbs.personality().hasPlacement() && (type == QPT_RC || type == QPT_XRC_SEND);
        return BitSet.valueOf(new long[] {operations}).stream()
                .mapToLong(ExtendedVerbs::sendOp)
                .reduce(placement ? QP_EX_WITH_FLUSH | QP_EX_WITH_ATOMIC_WRITE : 0, (all, one) -> all | one);
    }

    @Override
    public int wrPost(long qp, long wr, long badWr) {
        SoftQp object = verbs.handles.find(qp, SoftQp.class);
        if (object == null || object.sendOps == 0) {
            NativeMemory.putLong(badWr, wr);
            return -Errno.EINVAL;
        }
        return Posting.sendAll(object, wr, badWr);
    }

    @Override
    public Cq createCqEx(long context, int cqe, long channel, int compVector, long wcFlags) {
        if ((wcFlags & ~(WC_STANDARD_FLAGS | STAMPS)) != 0 || (wcFlags & STAMPS) == STAMPS) {
            throw new VerbsException(
                    "ibv_create_cq_ex",
                    Errno.EOPNOTSUPP,
                    "The software device supports the standard fields and one timestamp");
        }
        Cq made = verbs.createCq(context, cqe, channel, compVector);
        if ((wcFlags & STAMPS) != 0) {
            Objects.requireNonNull(verbs.handles.find(made.handle(), SoftCq.class))
                    .withTimestamps((wcFlags & WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK) != 0);
        }
        return made;
    }

    @Override
    public int pollEx(long cq, int numEntries, long wc, long timestamps) {
        SoftCq object = verbs.handles.find(cq, SoftCq.class);
        return object == null ? -Errno.EINVAL : object.poll(numEntries, wc, timestamps);
    }
}
