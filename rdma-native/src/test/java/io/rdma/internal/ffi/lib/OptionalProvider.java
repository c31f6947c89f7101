package io.rdma.internal.ffi.lib;

import static io.rdma.internal.ffi.lib.SoftProvider.done;
import static io.rdma.internal.ffi.lib.SoftProvider.result;
import static io.rdma.internal.ibv.NativeMemory.putInt;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ffi.XrcVerbs;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.ibv.Srq;
import io.rdma.internal.soft.SoftVerbs;

/** Functions of {@link SoftProvider} that not every device has: XRC, parent domains and advice. */
final class OptionalProvider {
    private static final Verbs SOFT = SoftVerbs.shared();

    private OptionalProvider() {}

    static long openXrcd(long context) {
        return result(() -> SOFT.xrc().openXrcd(context, -1, XrcVerbs.O_CREAT));
    }

    static long closeXrcd(long xrcd) {
        return done(() -> SOFT.xrc().closeXrcd(xrcd));
    }

    static long createXrcSrq(long pd, long xrcd, long cq, long attr, long number) {
        return result(() -> {
            Srq made = SOFT.xrc().createXrcSrq(pd, xrcd, cq, SrqAttrLayout.read(attr));
            SrqAttrLayout.write(attr, made.attr());
            putInt(number, SOFT.xrc().getSrqNum(made.handle()));
            return made.handle();
        });
    }

    static long createXrcReceiveQp(long xrcd, long number) {
        return result(() -> {
            Qp made = SOFT.xrc().createXrcReceiveQp(xrcd);
            putInt(number, made.qpNum());
            return made.handle();
        });
    }

    static long allocParentDomain(long context, long pd) {
        return result(() -> SOFT.memory().allocParentDomain(context, pd, 0));
    }

    static long adviseMr(long pd, int advice, int flags, long entries, int count) {
        return done(() -> {
            for (int i = 0; i < count; i++) {
                long entry = entries + (long) i * Sge.SIZE;
                SOFT.memory()
                        .adviseMr(
                                pd,
                                advice,
                                (flags & Ibv.ADVISE_MR_FLAG_FLUSH) != 0,
                                Sge.addr(entry),
                                Sge.length(entry),
                                Sge.lkey(entry));
            }
        });
    }
}
