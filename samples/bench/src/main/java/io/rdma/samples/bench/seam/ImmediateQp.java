package io.rdma.samples.bench.seam;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.NativeMemory;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.RecvWr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.types.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Invariants
// - The thread that posts sends holds `sending`. The thread that posts receives holds `receiving`. The thread that
// posts on the peer takes the receives.
// - A request is complete when its post returns: its completion is in the queue. The payload of a send is copied, that
// of a write is not, since a copy by the device costs the library nothing.

/** A queue pair whose post does the work of a provider: it converts each request to a 64-byte descriptor. */
final class ImmediateQp {
    private static final int DESCRIPTOR = 64;
    private static final int ENTRIES = 2; // at most, for each receive
    private static final int WORDS = 2 + 2 * ENTRIES;

    private final int number;
    private final ImmediateCq sendCq;
    private final ImmediateCq receiveCq;
    private final MemorySegment memory;
    private final long descriptors;
    private final int sendMask;
    private final long[] receives;
    private final int receiveMask;
    private final SpinLock sending = new SpinLock();
    private final SpinLock receiving = new SpinLock();
    private final AtomicLong posted = new AtomicLong();
    private final AtomicLong taken = new AtomicLong();
    private int sent; // (sending)
    private volatile int state = Ibv.QPS_RESET;
    private volatile @Nullable ImmediateQp peer;

    ImmediateQp(int number, ImmediateCq sendCq, ImmediateCq receiveCq, QpCap cap) {
        this.number = number;
        this.sendCq = sendCq;
        this.receiveCq = receiveCq;
        int depth = Integer.highestOneBit(cap.maxSendWr()) << 1;
        memory = Arena.ofAuto().allocate((long) depth * DESCRIPTOR, DESCRIPTOR);
        descriptors = memory.address();
        sendMask = depth - 1;
        int ring = Integer.highestOneBit(cap.maxRecvWr()) << 1;
        receives = new long[ring * WORDS];
        receiveMask = ring - 1;
    }

    int number() {
        return number;
    }

    int state() {
        return state;
    }

    void connect(ImmediateQp to) {
        peer = to;
    }

    void toState(int wanted) {
        state = wanted;
        if (wanted == Ibv.QPS_ERR) {
            receiving.lock(); // waits for threads that post and have not yet seen the new state
            flushReceives();
            receiving.unlock();
        }
    }

    private void flushReceives() {
        for (long at = taken.get(); at < posted.get(); at++) {
            receiveCq.push(receives[((int) at & receiveMask) * WORDS], Ibv.WC_WR_FLUSH_ERR, 0, 0, number, 0, 0);
        }
        taken.set(posted.get());
    }

    int postSend(long first) {
        sending.lock();
        try {
            for (long wr = first; wr != 0; wr = SendWr.next(wr)) {
                send(wr);
            }
            return 0;
        } finally {
            sending.unlock();
        }
    }

    private void send(long wr) {
        long wrId = SendWr.wrId(wr);
        int opcode = SendWr.opcode(wr);
        int flags = SendWr.sendFlags(wr);
        long sge = SendWr.sgList(wr);
        int length = Sge.length(sge);
        long to = descriptors + (long) (sent++ & sendMask) * DESCRIPTOR;
        NativeMemory.putInt(to, opcode);
        NativeMemory.putInt(to + 4, number);
        NativeMemory.putInt(to + 8, flags);
        NativeMemory.putInt(to + 12, SendWr.immData(wr));
        NativeMemory.putLong(to + 16, SendWr.rdmaRemoteAddr(wr));
        NativeMemory.putInt(to + 24, SendWr.rdmaRkey(wr));
        NativeMemory.putInt(to + 28, SendWr.numSge(wr));
        NativeMemory.putInt(to + 32, length);
        NativeMemory.putInt(to + 36, Sge.lkey(sge));
        NativeMemory.putLong(to + 40, Sge.addr(sge));
        NativeMemory.putLong(to + 48, wrId);
        int status = state == Ibv.QPS_RTS ? Ibv.WC_SUCCESS : Ibv.WC_WR_FLUSH_ERR;
        if (status == Ibv.WC_SUCCESS && opcode != Ibv.WR_RDMA_WRITE) {
            status = opcode == Ibv.WR_SEND ? deliver(wr) : Ibv.WC_LOC_QP_OP_ERR;
        }
        if ((flags & Ibv.SEND_SIGNALED) != 0 || status != Ibv.WC_SUCCESS) {
            int kind = opcode == Ibv.WR_SEND ? Ibv.WC_SEND : Ibv.WC_RDMA_WRITE;
            sendCq.push(wrId, status, kind, length, number, 0, 0);
        }
    }

    /**
     * Copies a message into a receive of the peer.
     *
     * @return a completion status
     */
    private int deliver(long wr) {
        ImmediateQp to = peer;
        return to == null ? Ibv.WC_RETRY_EXC_ERR : to.take(SendWr.sgList(wr), SendWr.numSge(wr));
    }

    private int take(long sge, int entries) {
        long at = taken.getPlain();
        if (at == posted.getAcquire() || state < Ibv.QPS_RTR || state == Ibv.QPS_ERR) {
            return Ibv.WC_RNR_RETRY_EXC_ERR;
        }
        int base = ((int) at & receiveMask) * WORDS;
        long wrId = receives[base];
        int targets = (int) receives[base + 1];
        int target = 0;
        long room = 0;
        long address = 0;
        int total = 0;
        for (int i = 0; i < entries; i++) {
            long from = Sge.addr(sge + (long) i * Sge.SIZE);
            int left = Sge.length(sge + (long) i * Sge.SIZE);
            while (left > 0) {
                if (room == 0) {
                    if (target == targets) {
                        return Ibv.WC_REM_INV_REQ_ERR;
                    }
                    address = receives[base + 2 + 2 * target];
                    room = receives[base + 3 + 2 * target];
                    target++;
                }
                int part = (int) Math.min(room, left);
                NativeMemory.copy(from, address, part);
                from += part;
                address += part;
                room -= part;
                left -= part;
                total += part;
            }
        }
        taken.setRelease(at + 1);
        receiveCq.push(wrId, Ibv.WC_SUCCESS, Ibv.WC_RECV, total, number, 0, 0);
        return Ibv.WC_SUCCESS;
    }

    int postReceive(long first, long badWr) {
        receiving.lock();
        try {
            for (long wr = first; wr != 0; wr = RecvWr.next(wr)) {
                if (RecvWr.numSge(wr) > ENTRIES) {
                    NativeMemory.putLong(badWr, wr);
                    return -Errno.EINVAL;
                }
                receive(wr);
            }
            if (state == Ibv.QPS_ERR) {
                flushReceives();
            }
            return 0;
        } finally {
            receiving.unlock();
        }
    }

    private void receive(long wr) {
        long at = posted.getPlain();
        int base = ((int) at & receiveMask) * WORDS;
        int entries = RecvWr.numSge(wr);
        receives[base] = RecvWr.wrId(wr);
        receives[base + 1] = entries;
        for (int i = 0; i < entries; i++) {
            long sge = RecvWr.sgList(wr) + (long) i * Sge.SIZE;
            receives[base + 2 + 2 * i] = Sge.addr(sge);
            receives[base + 3 + 2 * i] = Sge.length(sge);
        }
        posted.setRelease(at + 1);
    }

    /** Returns the size of the descriptors, and keeps them reachable as long as the queue pair is. */
    long descriptorBytes() {
        return memory.byteSize();
    }
}
