package io.rdma.internal.soft.objects;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.SoftSide;
import io.rdma.internal.soft.link.SoftFaults;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Assumptions of programs that know only one fast device. Completions of one work queue come in its order, those of two
 * in any order (IB specification volume 1, 10.8.5), and a request may not have happened when its post returns.
 */
class StrictTimingTest {
    private static final int AT_ONCE = 32;
    private static final int MOST_ROUNDS = 10_000;

    private String before;
    private Arena arena;
    private SoftSide a;
    private SoftSide b;

    @BeforeEach
    void connect() {
        before = System.getProperty(StrictTiming.PROPERTY, "");
        System.setProperty(StrictTiming.PROPERTY, "42");
        arena = Arena.ofShared();
        a = new SoftSide(arena, SoftFaults.NONE);
        b = new SoftSide(arena, SoftFaults.NONE, a, a.cq);
        a.connect(b);
        b.connect(a);
    }

    @AfterEach
    void close() {
        b.closeQueuePair();
        a.close();
        arena.close();
        System.setProperty(StrictTiming.PROPERTY, before);
    }

    @Test
    void completionsOfOneWorkQueueComeInOrderThoseOfTwoInAny() {
        int overtaken = 0;
        for (int round = 0; overtaken == 0; round++) {
            assertThat(round).as("rounds until one overtook another").isLessThan(MOST_ROUNDS);
            for (int i = 0; i < AT_ONCE; i++) {
                assertThat(a.post(2 * i, Ibv.WR_RDMA_WRITE, b, 0, 8, Ibv.SEND_SIGNALED))
                        .isZero();
                assertThat(b.post(2 * i + 1, Ibv.WR_RDMA_WRITE, a, 0, 8, Ibv.SEND_SIGNALED))
                        .isZero();
            }
            overtaken += pollAll();
        }
    }

    /**
     * Polls the completions of a round.
     *
     * @return number of completions that came before one of the other queue pair that was posted earlier
     */
    private int pollAll() {
        long[] next = {0, 1};
        int overtaken = 0;
        for (int i = 0; i < 2 * AT_ONCE; i++) {
            a.next();
            long wrId = Wc.wrId(a.completion());
            int of = Wc.qpNum(a.completion()) == a.qp.qpNum() ? 0 : 1;
            assertThat(wrId).as("in the order of its queue").isEqualTo(next[of]);
            next[of] += 2;
            overtaken += next[1 - of] < wrId ? 1 : 0;
        }
        return overtaken;
    }

    @Test
    void aRequestMayNotHaveHappenedWhenItsPostReturns() {
        boolean late = false;
        for (int round = 0; !late; round++) {
            assertThat(round).as("rounds until one was late").isLessThan(MOST_ROUNDS);
            a.send(round, Ibv.WR_RDMA_WRITE, b, 0, 8);
            late = a.poll() == 0;
            if (late) {
                a.expect(round);
            }
        }
    }

    @Test
    void aWithheldCompletionWakesTheWaitingThread() {
        for (int round = 0; round < 1000; round++) {
            a.arm();
            a.send(round, Ibv.WR_RDMA_WRITE, b, 0, 8);
            a.awaitEvent();
            a.expect(round);
        }
    }

    @Test
    void aSeedThatIsNoNumberIsRefused() {
        System.setProperty(StrictTiming.PROPERTY, "often");
        assertThatIllegalArgumentException()
                .isThrownBy(StrictTiming::configured)
                .withMessageContaining(StrictTiming.PROPERTY);
    }
}
