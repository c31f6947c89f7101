package io.rdma.internal.soft.device;

import static io.rdma.internal.ibv.Ibv.*;
import static io.rdma.internal.ibv.MemoryPlacement.WR_FLUSH;

import io.rdma.internal.ffi.ExtendedVerbs;
import io.rdma.internal.ibv.BindWr;
import io.rdma.internal.ibv.MemoryPlacement;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.RecvWr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.soft.objects.Bind;
import io.rdma.internal.soft.objects.HandleTable;
import io.rdma.internal.soft.objects.QueuedRequest;
import io.rdma.internal.soft.objects.SoftAh;
import io.rdma.internal.soft.objects.SoftMr;
import io.rdma.internal.soft.objects.SoftMw;
import io.rdma.internal.soft.objects.SoftQp;
import io.rdma.internal.soft.objects.SoftSrq;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.Psn;
import io.rdma.types.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Implementation of {@code ibv_post_send(3)} and {@code ibv_post_recv(3)}. Copies a chain into the rings of a queue
 * pair and rings the doorbell once. Any thread.
 */
public final class Posting {
    private static final int ALL_FLAGS = SEND_FENCE | SEND_SIGNALED | SEND_SOLICITED | SEND_INLINE;

    private Posting() {}

    public static int send(SoftQp qp, long first, long badWr) {
        int result = 0;
        synchronized (qp.sq) {
            long wr = first;
            while (wr != 0 && (result = sendOne(qp, wr, qp.operations)) == 0) {
                wr = SendWr.next(wr);
            }
            if (result != 0) {
                NativeMemory.putLong(badWr, wr);
            }
        }
        qp.device.ring(qp);
        return result;
    }

    /** Posts a chain as {@code ibv_wr_start(3)} to {@code ibv_wr_complete} do: all of it, or nothing. */
    public static int sendAll(SoftQp qp, long first, long badWr) {
        int result = 0;
        synchronized (qp.sq) {
            qp.sq.stage();
            for (long wr = first; wr != 0 && result == 0; wr = SendWr.next(wr)) {
                boolean allowed = (qp.sendOps & ExtendedVerbs.sendOp(SendWr.opcode(wr))) != 0;
                result = allowed ? sendOne(qp, wr, qp.operations | MemoryPlacement.WR_BITS) : -Errno.EINVAL;
            }
            qp.sq.commit(result == 0);
        }
        if (result != 0) {
            NativeMemory.putLong(badWr, first);
        } else {
            qp.device.ring(qp);
        }
        return result;
    }

    private static int sendOne(SoftQp qp, long wr, int operations) {
        int opcode = SendWr.opcode(wr);
        int flags = SendWr.sendFlags(wr);
        int numSge = SendWr.numSge(wr);
        boolean inline = (flags & SEND_INLINE) != 0;
        boolean atomic = opcode == WR_ATOMIC_CMP_AND_SWP || opcode == WR_ATOMIC_FETCH_AND_ADD;
        boolean placement = MemoryPlacement.isPlacement(opcode);
        boolean dataless = opcode == WR_LOCAL_INV || opcode == WR_BIND_MW || placement;
        if (qp.state < QPS_RTS
                || qp.awaitsPeer && qp.state != QPS_ERR
                || (opcode & ~31) != 0
                || (operations >>> opcode & 1) == 0
                || (flags & ~ALL_FLAGS) != 0
                || numSge < 0
                || numSge > qp.cap.maxSendSge()
                || dataless && numSge > 0
                || opcode == WR_BIND_MW && SendWr.immData(wr) != 0
                || inline && opcode >= WR_RDMA_READ && opcode != WR_SEND_WITH_INV) {
            return -Errno.EINVAL;
        }
        if (qp.sq.full()) {
            return -Errno.ENOMEM;
        }
        Bind bind = null;
        if (opcode == WR_BIND_MW) {
            bind = bind(qp, wr);
            if (bind == null) {
                return -Errno.EINVAL;
            }
        }
        QueuedRequest request = qp.sq.free();
        request.length = entries(request, SendWr.sgList(wr), numSge);
        if (inline && request.length > qp.cap.maxInlineData() || request.length > Integer.MAX_VALUE) {
            return -Errno.EINVAL;
        }
        if (qp.transport == Opcode.UD) {
            SoftAh path = qp.device.handles().find(SendWr.udAh(wr), SoftAh.class);
            if (path == null || !path.pd.matches(qp.pd) || request.length > qp.mtu) {
                return -Errno.EINVAL;
            }
            request.ah = path;
            request.remoteQpn = SendWr.udRemoteQpn(wr) & Psn.MASK;
            request.remoteQkey = SendWr.udRemoteQkey(wr);
        }
        request.remoteSrqn = qp.transport == Opcode.XRC ? SendWr.xrcRemoteSrqn(wr) & Psn.MASK : 0;
        request.wrId = SendWr.wrId(wr);
        request.opcode = opcode;
        request.signaled = qp.signalAll || (flags & SEND_SIGNALED) != 0;
        request.solicited = (flags & SEND_SOLICITED) != 0;
        request.fence = (flags & SEND_FENCE) != 0;
        request.inline = inline;
        request.imm = SendWr.immData(wr);
        request.remoteAddress = SendWr.rdmaRemoteAddr(wr);
        request.rkey = atomic ? SendWr.atomicRkey(wr) : SendWr.rdmaRkey(wr);
        request.compareAdd = atomic ? SendWr.atomicCompareAdd(wr) : 0;
        request.swap = atomic ? SendWr.atomicSwap(wr) : 0;
        if (placement && !fillPlacement(request, wr)) {
            return -Errno.EINVAL;
        }
        request.numbered = false;
        request.invalidate = SendWr.invalidateRkey(wr);
        request.bind = bind;
        if (atomic) {
            request.length = Long.BYTES;
        }
        if (inline) {
            copyInline(request);
        }
        qp.sq.publish();
        return 0;
    }

    /** Fills in what only a FLUSH or an atomic write has. Returns false if a FLUSH is too long. */
    private static boolean fillPlacement(QueuedRequest request, long wr) {
        if (request.opcode == WR_FLUSH) {
            request.placement = Packet.placement(SendWr.flushType(wr), SendWr.flushLevel(wr));
            request.swap = SendWr.flushLength(wr);
        } else {
            request.compareAdd = SendWr.atomicWriteValue(wr);
            request.length = Long.BYTES;
        }
        return request.swap >= 0 && request.swap <= MemoryPlacement.LONGEST_FLUSH;
    }

    /** Returns the binding of a type 2 window, or null if a handle is invalid. */
    private static @Nullable Bind bind(SoftQp qp, long wr) {
        HandleTable handles = qp.device.handles();
        SoftMw window = handles.find(BindWr.mw(wr), SoftMw.class);
        SoftMr region = handles.find(BindWr.mr(wr), SoftMr.class);
        if (window == null || window.type != MW_TYPE_2 || region == null) {
            return null;
        }
        return new Bind(
                window,
                window.key,
                BindWr.rkey(wr),
                region,
                BindWr.addr(wr),
                BindWr.length(wr),
                BindWr.accessFlags(wr));
    }

    /** Posts the binding of a type 1 window. */
    public static int bind(SoftQp qp, long wrId, int flags, Bind bind) {
        synchronized (qp.sq) {
            if (qp.state < QPS_RTS || (flags & ~(SEND_FENCE | SEND_SIGNALED)) != 0) {
                return -Errno.EINVAL;
            }
            if (qp.sq.full()) {
                return -Errno.ENOMEM;
            }
            QueuedRequest request = qp.sq.free();
            request.wrId = wrId;
            request.opcode = WR_BIND_MW;
            request.signaled = qp.signalAll || (flags & SEND_SIGNALED) != 0;
            request.inline = false;
            request.numSge = 0;
            request.length = 0;
            request.bind = bind;
            request.numbered = false;
            qp.sq.publish();
        }
        qp.device.ring(qp);
        return 0;
    }

    /** Copies inline data, so that the application may reuse its buffer after the post. */
    private static void copyInline(QueuedRequest request) {
        long to = request.inlineData;
        for (int i = 0; i < request.numSge; i++) {
            NativeMemory.copy(request.address(i), to, request.bytes(i));
            request.move(i, to);
            to += request.bytes(i);
        }
    }

    private static long entries(QueuedRequest request, long list, int numSge) {
        long total = 0;
        request.numSge = numSge;
        for (int i = 0; i < numSge; i++) {
            long sge = list + (long) i * Sge.SIZE;
            int bytes = Sge.length(sge);
            request.entry(i, Sge.addr(sge), bytes, Sge.lkey(sge));
            // A length of 2 GiB or more makes the total too large, whatever follows.
            total += bytes < 0 ? 1L << 32 : bytes;
        }
        return total;
    }

    public static int receive(SoftQp qp, long first, long badWr) {
        int result = 0;
        synchronized (qp.rq) {
            long wr = first;
            while (wr != 0 && (result = receiveOne(qp, wr)) == 0) {
                wr = RecvWr.next(wr);
            }
            if (result != 0) {
                NativeMemory.putLong(badWr, wr);
            }
        }
        if (qp.state == QPS_ERR) {
            qp.device.ring(qp); // to be flushed
        }
        return result;
    }

    private static int receiveOne(SoftQp qp, long wr) {
        if (qp.state == QPS_RESET || qp.srq != null || RecvWr.numSge(wr) > qp.cap.maxRecvSge()) {
            return -Errno.EINVAL;
        }
        if (qp.rq.full()) {
            return -Errno.ENOMEM;
        }
        int result = fill(qp.rq.free(), wr);
        if (result == 0) {
            qp.rq.publish();
        }
        return result;
    }

    public static int receive(SoftSrq srq, long first, long badWr) {
        int result = 0;
        synchronized (srq) {
            long wr = first;
            while (wr != 0 && (result = receiveOne(srq, wr)) == 0) {
                wr = RecvWr.next(wr);
            }
            if (result != 0) {
                NativeMemory.putLong(badWr, wr);
            }
        }
        return result;
    }

    private static int receiveOne(SoftSrq srq, long wr) {
        if (RecvWr.numSge(wr) > srq.maxSge) {
            return -Errno.EINVAL;
        }
        if (srq.full()) {
            return -Errno.ENOMEM;
        }
        int result = fill(srq.free(), wr);
        if (result == 0) {
            srq.publish();
        }
        return result;
    }

    private static int fill(QueuedRequest request, long wr) {
        int numSge = RecvWr.numSge(wr);
        if (numSge < 0) {
            return -Errno.EINVAL;
        }
        request.length = entries(request, RecvWr.sgList(wr), numSge);
        if (request.length > Integer.MAX_VALUE) {
            return -Errno.EINVAL;
        }
        request.wrId = RecvWr.wrId(wr);
        request.arrivedWith = 0;
        return 0;
    }
}
