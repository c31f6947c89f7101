package io.rdma.internal.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.environment.Environment;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Wc;
import io.rdma.internal.soft.link.LinkSockets;
import io.rdma.internal.soft.link.SoftConfig;
import io.rdma.internal.soft.objects.Pacer;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rate of a queue pair, by a clock that stands still unless the test moves it. */
class RateLimitTest {
    private static final int MTU = 1024;
    private static final int PACKET = MTU + Pacer.HEADERS;
    private static final int LENGTH = SoftSide.SIZE / 2;
    private static final int BELOW_A_PACKET = 7; // 524 µs
    private static final int BURST = 8 * PACKET;
    private static final int RATE = 8_000; // kbit/s: a byte in a microsecond
    private static final long STEP_MICROS = 4_000;

    private final Arena arena = Arena.ofShared();
    private final AtomicLong micros = new AtomicLong(1);
    private final SoftSide from = new SoftSide(
            arena,
            SoftConfig.loopback()
                    .within(
                            (Environment) Proxy.newProxyInstance(
                                    Environment.class.getClassLoader(),
                                    new Class<?>[] {Environment.class},
                                    (self, method, given) -> method.getName().equals("nanoTime")
                                            ? (Object) (micros.get() * 1000)
                                            : method.invoke(Environment.SYSTEM, given)),
                            LinkSockets.SYSTEM));
    private SoftSide to = from;

    @AfterEach
    void close() {
        if (to.verbs != from.verbs) {
            to.close();
        } else {
            to.closeQueuePair();
        }
        from.close();
        arena.close();
    }

    /**
     * Connects to another queue pair of the device, or of another device.
     *
     * @param retransmitAfter as {@link SoftSide#connect(SoftSide, int)}
     */
    private void connect(boolean overLink, int retransmitAfter) {
        to = overLink ? new SoftSide(arena, SoftConfig.loopback()) : new SoftSide(arena, from, from.cq, 0);
        from.connect(to, retransmitAfter);
        to.connect(from, retransmitAfter);
    }

    private void limit(int rate, int burst) {
        from.verbs.optional().modifyQpRateLimit(from.qp.handle(), rate, burst, 0);
    }

    /** Writes the second half of this side's memory to the first half of the other side's. */
    private void write() {
        source().fill((byte) 1);
        from.send(1, Ibv.WR_RDMA_WRITE, to, LENGTH, LENGTH);
    }

    private MemorySegment source() {
        return from.memory.asSlice(LENGTH, LENGTH);
    }

    /** Returns the bytes of the packets whose payload has arrived. */
    private long sent() {
        long arrived = to.memory.asSlice(0, LENGTH).mismatch(source());
        return (arrived < 0 ? LENGTH : arrived) / MTU * PACKET;
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30)).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theBurstAndWhatTheRateGivesAreSentAndNoMore(boolean overLink) {
        connect(overLink, SoftSide.USUAL_RETRANSMIT);
        limit(RATE, BURST);
        write();
        long all = LENGTH / MTU * PACKET;
        for (long allowed = BURST; allowed < all; allowed += STEP_MICROS) {
            long most = allowed;
            soon().until(() -> sent() > most - PACKET);
            assertThat(sent()).isLessThanOrEqualTo(most);
            micros.addAndGet(STEP_MICROS);
        }
        from.expect(1);
    }

    @Test
    void aRateThatIsSlowerThanTheTimeOutIsNoLoss() {
        connect(false, BELOW_A_PACKET);
        limit(RATE, PACKET);
        write();
        while (from.poll() == 0) {
            micros.addAndGet(PACKET);
        }
        assertThat(Wc.status(from.completion())).isEqualTo(Ibv.WC_SUCCESS);
        assertThat(from.verbs.counters()).containsEntry("completer_retry_err", 0L);
    }

    @Test
    void zeroEndsALimitAndSoDoesReset() {
        connect(false, SoftSide.USUAL_RETRANSMIT);
        limit(1, 0);
        write();
        limit(0, 0);
        from.expect(1);
        limit(1, 0);
        from.reset();
        to.reset();
        from.connect(to);
        to.connect(from);
        write();
        from.expect(1);
    }

    @Test
    void whatIsNoLimitIsRefused() {
        refused(RATE, BURST);
        connect(false, SoftSide.USUAL_RETRANSMIT);
        refused(Pacer.HIGHEST_RATE + 1, 0);
        refused(-1, 0);
        refused(RATE, PACKET - 1);
    }

    private void refused(int rate, int burst) {
        assertThatThrownBy(() -> limit(rate, burst))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
