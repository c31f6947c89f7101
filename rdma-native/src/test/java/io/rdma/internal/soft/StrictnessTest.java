package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.link.SoftFaults;
import io.rdma.types.Errno;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Behaviour in which devices differ. The software device behaves as the strictest of them, so a program that works on
 * it works on all.
 */
class StrictnessTest {
    private Arena arena;
    private SoftSide a;
    private SoftSide b;

    @BeforeEach
    void connect() {
        arena = Arena.ofShared();
        a = new SoftSide(arena, SoftFaults.NONE);
        b = new SoftSide(arena, SoftFaults.NONE);
        a.connect(b);
        b.connect(a);
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        arena.close();
    }

    /** mlx5 moves the tail of the send queue only when a completion is polled, and an unsignaled request has none. */
    @Test
    void anUnsignaledRequestPinsItsSlotUntilALaterCompletionIsPolled() {
        int depth = SoftSide.SEND_DEPTH;
        a.arm();
        for (int i = 0; i < depth - 1; i++) {
            assertThat(a.post(i, Ibv.WR_RDMA_WRITE, b, 0, 8, 0)).isZero();
        }
        assertThat(a.post(depth - 1, Ibv.WR_RDMA_WRITE, b, 0, 8, Ibv.SEND_SIGNALED))
                .isZero();
        a.awaitEvent(); // all requests are done; the completion is not polled yet
        assertThat(a.post(depth, Ibv.WR_RDMA_WRITE, b, 0, 8, 0)).isEqualTo(-Errno.ENOMEM);
        a.expect(depth - 1);
        assertThat(a.post(depth, Ibv.WR_RDMA_WRITE, b, 0, 8, Ibv.SEND_SIGNALED)).isZero();
        a.expect(depth);
    }

    /** ibv_poll_cq(3), IBV_EVENT_CQ_ERR: an overrun is fatal for the queue and for every queue pair on it. */
    @Test
    void anOverrunOfACompletionQueueIsFatal() {
        Cq tiny = a.verbs.createCq(a.context, 2, 0, 0);
        try (Arena own = Arena.ofShared()) {
            SoftSide c = new SoftSide(own, SoftFaults.NONE, a, tiny);
            b.reset();
            c.connect(b);
            b.connect(c);
            for (int i = 0; i < tiny.cqe() + 1; i++) {
                assertThat(c.post(i, Ibv.WR_RDMA_WRITE, b, 0, 8, Ibv.SEND_SIGNALED))
                        .isZero();
            }
            c.awaitState(Ibv.QPS_ERR);
            for (int i = 0; i < tiny.cqe(); i++) { // the completions in it can be polled
                c.expect(i);
            }
            assertThat(c.poll()).isNegative();
            c.closeQueuePair();
        }
        a.verbs.destroyCq(tiny.handle());
    }

    /**
     * ibv_poll_cq(3): on failure only wr_id, status, qp_num and vendor_err are valid. A program that reads other fields
     * must notice.
     */
    @Test
    void aFailedCompletionHoldsGarbageElsewhere() {
        b.verbs.deregMr(b.mr.handle());
        assertThat(a.post(7, Ibv.WR_RDMA_READ, b, 0, 8, Ibv.SEND_SIGNALED)).isZero();
        a.expect(7, Ibv.WC_REM_ACCESS_ERR);
        assertThat(Wc.qpNum(a.completion())).isEqualTo(a.qp.qpNum());
        assertThat(Wc.opcode(a.completion())).isNotEqualTo(Ibv.WC_RDMA_READ);
        assertThat(Wc.byteLen(a.completion())).isNotEqualTo(8);
        b.register();
    }
}
