package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ffi.AhAttr;
import io.rdma.internal.ffi.Cq;
import io.rdma.internal.ffi.Ibv;
import io.rdma.internal.ffi.Mr;
import io.rdma.internal.ffi.Qp;
import io.rdma.internal.ffi.QpAttr;
import io.rdma.internal.ffi.QpCap;
import io.rdma.internal.ffi.QpInitAttr;
import io.rdma.internal.ffi.RecvWr;
import io.rdma.internal.ffi.SendWr;
import io.rdma.internal.ffi.Sge;
import io.rdma.internal.ffi.Wc;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two software devices that talk over UDP, through links that lose and repeat packets; everything must arrive once, whole and in order. */
class LossyLinkTest {
    private static final int SIZE = 256 * 1024;
    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final int ACCESS =
            Ibv.ACCESS_LOCAL_WRITE | Ibv.ACCESS_REMOTE_WRITE | Ibv.ACCESS_REMOTE_READ | Ibv.ACCESS_REMOTE_ATOMIC;

    /** One device with one queue pair and one region. */
    private static final class Side {
        final SoftVerbs verbs;
        final long context;
        final long pd;
        final Cq cq;
        final Qp qp;
        final Mr mr;
        final MemorySegment memory;
        final MemorySegment scratch;

        Side(Arena arena, double loss, double duplicate, long seed) {
            verbs = new SoftVerbs(SoftConfig.loopback().withFaults(loss, duplicate, seed));
            context = verbs.openDevice("soft0");
            pd = verbs.allocPd(context);
            cq = verbs.createCq(context, 512, 0, 0);
            qp = verbs.createQp(
                    pd, new QpInitAttr(cq.handle(), cq.handle(), new QpCap(64, 256, 1, 1, 0), Ibv.QPT_RC, false));
            memory = arena.allocate(SIZE, 4096);
            scratch = arena.allocate(1024, 64);
            mr = verbs.regMr(pd, memory.address(), SIZE, memory.address(), ACCESS);
        }

        void connect(Side peer) {
            modify(Ibv.QPS_INIT, peer, Ibv.QP_STATE | Ibv.QP_PKEY_INDEX | Ibv.QP_PORT | Ibv.QP_ACCESS_FLAGS);
            modify(
                    Ibv.QPS_RTR,
                    peer,
                    Ibv.QP_STATE
                            | Ibv.QP_AV
                            | Ibv.QP_PATH_MTU
                            | Ibv.QP_DEST_QPN
                            | Ibv.QP_RQ_PSN
                            | Ibv.QP_MAX_DEST_RD_ATOMIC
                            | Ibv.QP_MIN_RNR_TIMER);
            modify(
                    Ibv.QPS_RTS,
                    peer,
                    Ibv.QP_STATE
                            | Ibv.QP_TIMEOUT
                            | Ibv.QP_RETRY_CNT
                            | Ibv.QP_RNR_RETRY
                            | Ibv.QP_SQ_PSN
                            | Ibv.QP_MAX_QP_RD_ATOMIC);
        }

        private void modify(int state, Side peer, int mask) {
            byte[] gid = peer.verbs.queryGidTable(peer.context).getFirst().gid();
            AhAttr path = new AhAttr(gid, 0, 0, 64, 0, 0, 0, 0, 0, true, 1);
            int psn = 0xffffe0; // wraps soon
            int retransmitAfter = 12; // 17 ms: longer than a busy machine keeps a thread waiting, eight times in a row
            verbs.modifyQp(
                    qp.handle(),
                    new QpAttr(
                            state,
                            0,
                            Ibv.MTU_1024,
                            0,
                            0,
                            psn,
                            psn,
                            peer.qp.qpNum(),
                            ACCESS,
                            qp.cap(),
                            path,
                            0,
                            false,
                            false,
                            4,
                            4,
                            1,
                            1,
                            retransmitAfter,
                            7,
                            7),
                    mask);
        }

        void receive(long wrId, long offset, int length) {
            long wr = scratch.address();
            RecvWr.wrId(wr, wrId);
            RecvWr.next(wr, 0);
            RecvWr.sgList(wr, sge(offset, length));
            RecvWr.numSge(wr, 1);
            assertThat(verbs.postRecv(qp.handle(), wr, wr + 512)).isZero();
        }

        void send(long wrId, int opcode, Side peer, long offset, int length) {
            long wr = scratch.address();
            SendWr.wrId(wr, wrId);
            SendWr.next(wr, 0);
            SendWr.sgList(wr, sge(offset, length));
            SendWr.numSge(wr, 1);
            SendWr.opcode(wr, opcode);
            SendWr.sendFlags(wr, Ibv.SEND_SIGNALED);
            if (opcode == Ibv.WR_ATOMIC_FETCH_AND_ADD) {
                SendWr.atomicRemoteAddr(wr, peer.memory.address());
                SendWr.atomicCompareAdd(wr, 1);
                SendWr.atomicRkey(wr, peer.mr.rkey());
            } else {
                SendWr.rdmaRemoteAddr(wr, peer.memory.address());
                SendWr.rdmaRkey(wr, peer.mr.rkey());
            }
            assertThat(verbs.postSend(qp.handle(), wr, wr + 512)).isZero();
        }

        private long sge(long offset, int length) {
            long sge = scratch.address() + 256;
            Sge.addr(sge, memory.address() + offset);
            Sge.length(sge, length);
            Sge.lkey(sge, mr.lkey());
            return sge;
        }

        /** Awaits one completion. */
        void expect(long wrId) {
            long wc = scratch.address() + 768;
            long deadline = System.nanoTime() + PATIENCE_NANOS;
            while (verbs.pollCq(cq.handle(), 1, wc) == 0) {
                assertThat(System.nanoTime()).as("a completion in time").isLessThan(deadline);
                Thread.onSpinWait();
            }
            assertThat(Wc.status(wc)).isEqualTo(Ibv.WC_SUCCESS);
            assertThat(Wc.wrId(wc)).isEqualTo(wrId);
        }

        void close() {
            verbs.destroyQp(qp.handle());
            verbs.destroyCq(cq.handle());
            verbs.deregMr(mr.handle());
            verbs.deallocPd(pd);
            verbs.closeDevice(context);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "0.02, 0", "0, 0.1", "0.02, 0.05"})
    void everythingArrivesOnceWholeAndInOrder(double loss, double duplicate) {
        try (Arena arena = Arena.ofShared()) {
            Side a = new Side(arena, loss, duplicate, 1);
            Side b = new Side(arena, loss, duplicate, 2);
            a.connect(b);
            b.connect(a);
            byte[] random = new byte[SIZE];
            new Random(3).nextBytes(random);
            a.memory.copyFrom(MemorySegment.ofArray(random));

            a.send(1, Ibv.WR_RDMA_WRITE, b, 0, SIZE);
            a.expect(1);
            assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
            a.memory.fill((byte) 0);
            a.send(2, Ibv.WR_RDMA_READ, b, 0, SIZE);
            a.expect(2);
            assertThat(a.memory.mismatch(b.memory)).isEqualTo(-1);

            for (int i = 0; i < 100; i++) {
                b.receive(i, i * 1500L, 1500);
            }
            for (int i = 0; i < 100; i++) {
                a.send(i, Ibv.WR_SEND, b, i * 1500L, 1500);
                if (i % 10 == 9) {
                    for (int j = i - 9; j <= i; j++) {
                        a.expect(j);
                        b.expect(j);
                    }
                }
            }
            assertThat(b.memory.asSlice(0, 150_000).mismatch(a.memory.asSlice(0, 150_000)))
                    .isEqualTo(-1);

            b.memory.set(ValueLayout.JAVA_LONG, 0, 0);
            for (int i = 0; i < 200; i++) {
                a.send(i, Ibv.WR_ATOMIC_FETCH_AND_ADD, b, 8, 8);
                a.expect(i);
                // Each exactly once, in order: a repeated request is answered from the replay store.
                assertThat(a.memory.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(i);
            }
            assertThat(b.memory.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(200);
            a.close();
            b.close();
        }
    }

    @Test
    void garbageOnThePortDisturbsNobody() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            Side a = new Side(arena, 0, 0, 1);
            Side b = new Side(arena, 0, 0, 2);
            a.connect(b);
            b.connect(a);
            InetSocketAddress address =
                    SoftAddress.of(b.verbs.queryGidTable(b.context).getFirst().gid());
            Random random = new Random(5);
            try (DatagramSocket hostile = new DatagramSocket()) {
                for (int i = 0; i < 2000; i++) {
                    byte[] bytes = new byte[random.nextInt(200)];
                    random.nextBytes(bytes);
                    hostile.send(new DatagramPacket(bytes, bytes.length, address));
                }
            }
            a.send(1, Ibv.WR_RDMA_WRITE, b, 0, SIZE);
            a.expect(1);
            assertThat(b.memory.mismatch(a.memory)).isEqualTo(-1);
            a.close();
            b.close();
        }
    }
}
