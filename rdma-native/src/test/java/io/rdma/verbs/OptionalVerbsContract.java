package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of the calls that many providers lack. Each works, or its test is skipped with the errno by which the device
 * refuses it.
 */
abstract class OptionalVerbsContract {
    private static final int PATIENCE_MILLIS = 60_000;
    private static final Duration LONGEST_PERIOD = Duration.ofNanos(65_535_000);
    private static final int PART = 512;

    Pair pair;

    abstract String device();

    @BeforeEach
    void open() {
        pair = new Pair(device(), EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    /** Makes a call, and skips the test if the device lacks it. */
    private static void assumeHas(ThrowingCallable call) {
        VerbsException refusal = catchThrowableOfType(VerbsException.class, call);
        if (refusal != null) {
            assertThat(refusal.errno()).as(refusal.getMessage()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
            assertThat(refusal).hasMessageContaining("does not support");
            Assumptions.abort("this device lacks it: " + refusal.getMessage());
        }
    }

    /** Sends messages from a to b, whose completion queue is armed, and polls the completions of a. */
    private void send(int messages) {
        for (int i = 0; i < messages; i++) {
            pair.receive(pair.b, pair.memoryB, i, PART);
            pair.request(i, WorkRequestOpcode.SEND);
            pair.fromA(8);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, i);
        }
    }

    private void takeEvent() {
        assertThat(pair.channel.await(PATIENCE_MILLIS)).as("an event in time").isTrue();
        pair.channel.takeEvent();
        pair.queueB.acknowledge(1);
    }

    private void takeCompletions(int messages) {
        for (int i = 0; i < messages; i++) {
            pair.succeeds(pair.queueB, i);
        }
    }

    @Test
    void anEventComesWhenItHasItsCompletions() {
        pair.connect();
        assumeHas(() -> pair.queueB.moderate(3, Duration.ZERO));
        for (int round = 0; round < 3; round++) {
            pair.queueB.requestNotify();
            send(2);
            assertThat(pair.channel.await(0)).as("too few for an event").isFalse();
            send(1);
            takeEvent();
            pair.succeeds(pair.queueB, 0);
            pair.succeeds(pair.queueB, 1);
            pair.succeeds(pair.queueB, 0);
        }
        assertThat(pair.channel.await(0)).as("one event for each arming").isFalse();
    }

    @Test
    void anEventComesAfterItsPeriod() {
        pair.connect();
        assumeHas(() -> pair.queueB.moderate(1000, LONGEST_PERIOD));
        pair.queueB.requestNotify();
        long before = System.nanoTime();
        send(1);
        takeEvent();
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(LONGEST_PERIOD.toNanos());
        takeCompletions(1);
        pair.queueB.requestNotify();
        send(1);
        pair.queueB.requestNotify(); // still the same event
        send(1);
        takeEvent();
        takeCompletions(1);
        takeCompletions(1);
        assertThat(pair.channel.await(2 * (int) LONGEST_PERIOD.toMillis())).isFalse();
    }

    @Test
    void moderationEnds() {
        pair.connect();
        assumeHas(() -> pair.queueB.moderate(1000, Duration.ZERO));
        pair.queueB.requestNotify();
        send(1);
        assertThat(pair.channel.await(0)).isFalse();
        pair.queueB.moderate(0, Duration.ZERO);
        takeEvent();
        takeCompletions(1);
        pair.queueB.requestNotify();
        send(1);
        takeEvent();
    }

    @Test
    void aFullQueueRaisesItsEvent() {
        pair.connect();
        assumeHas(() -> pair.queueB.moderate(65_535, Duration.ZERO));
        pair.queueB.resize(4); // fewer than the receive queue, so that all its completions can wait
        int entries = pair.queueB.entries();
        pair.queueB.requestNotify();
        for (int i = 0; i < entries; i++) {
            send(1);
        }
        takeEvent();
    }

    @Test
    void moderationOutOfRangeIsRefused() {
        assertThatThrownBy(() -> pair.queueB.moderate(65_536, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("65535");
        assertThatThrownBy(() -> pair.queueB.moderate(1, Duration.ofMillis(66)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.queueB.moderate(1, Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.queueB.moderate(1, Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aNullRegionReadsZerosAndLosesWrites() {
        assumeHas(() -> pair.domain.allocateNullRegion().close());
        pair.connect();
        try (MemoryRegion nothing = pair.domain.allocateNullRegion()) {
            pair.memoryB.segment().fill((byte) 7);
            writeToB(1);
            pair.fromA(8);
            pair.sends.entry(4711, PART, nothing.lkey());
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 1);
            pair.assertSame(8);
            MemorySegment zeros = pair.memoryB.segment().asSlice(8, PART);
            assertThat(zeros.mismatch(Arena.ofAuto().allocate(PART))).isEqualTo(-1);
            assertThat(pair.memoryB.segment().get(ValueLayout.JAVA_BYTE, 8 + PART))
                    .isEqualTo((byte) 7);

            pair.request(2, WorkRequestOpcode.RDMA_READ)
                    .remote(pair.memoryB.remote().address(), pair.memoryB.rkey())
                    .entry(0, Pair.SIZE, nothing.lkey());
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 2);
            pair.receives.clear();
            pair.receives.add(3).entry(1L << 60, PART, nothing.lkey());
            assertThat(pair.b.post(pair.receives)).isZero();
            pair.request(4, WorkRequestOpcode.SEND);
            pair.fromA(PART);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 4);
            pair.succeeds(pair.queueB, 3);
            assertThat(pair.completion.byteLength(0)).isEqualTo(PART);
            writeToB(5); // the lost bytes are not read
            pair.sends.entry(0, PART, nothing.lkey());
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 5);
            assertThat(pair.memoryB
                            .segment()
                            .asSlice(0, PART)
                            .mismatch(Arena.ofAuto().allocate(PART)))
                    .isEqualTo(-1);
        }
    }

    private void writeToB(long wrId) {
        pair.request(wrId, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
    }

    @Test
    void aQueuePairSendsAtALimitedRate() {
        pair.connect();
        assertThatThrownBy(() -> pair.a.limitRate(1000, 0, 65_536)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> pair.a.limitRate(-1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
        assumeHas(() -> pair.a.limitRate(1_000_000, 0, 0));
        send(2);
        pair.a.limitRate(0, 0, 0);
        send(1);
    }

    @Test
    void theAttributesTellWhichRatesThereAre() {
        ExtendedDeviceAttributes attributes = pair.context.queryDeviceExtended();
        boolean limits = (attributes.pacedQueuePairTypes() & 1 << QueuePairType.RC.code()) != 0;
        assertThatThrownBy(() -> pair.a.limitRate(1000, 0, 0))
                .as("not in RTS")
                .isInstanceOfSatisfying(
                        VerbsException.class,
                        e -> assertThat(e.errno() == Errno.EINVAL).isEqualTo(limits));
        pair.connect();
        assumeHas(() -> pair.a.limitRate((int) attributes.qpRateLimitMax(), 0, 0));
        assertThat(limits).isTrue();
        assertThatThrownBy(() -> pair.a.limitRate((int) attributes.qpRateLimitMax() + 1, 0, 0))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    /** At the lowest rate the rest of the message would take longer than the test may. */
    @Test
    void theEndOfALimitFreesWhatWaits() {
        pair.connect();
        assumeHas(
                () -> pair.a.limitRate((int) pair.context.queryDeviceExtended().qpRateLimitMin(), Pair.SIZE / 2, 0));
        pair.request(1, WorkRequestOpcode.RDMA_WRITE)
                .remote(pair.memoryB.remote().address(), pair.memoryB.rkey());
        pair.fromA(Pair.SIZE);
        pair.post(pair.a);
        pair.a.query(); // by now the device has sent what it may
        assertThat(pair.queueA.poll(pair.completion)).isZero();
        pair.a.limitRate(0, 0, 0);
        pair.succeeds(pair.queueA, 1);
    }

    @Test
    void aNullRegionIsNotForPeers() {
        assumeHas(() -> pair.domain.allocateNullRegion().close());
        pair.connect();
        try (MemoryRegion nothing = pair.domain.allocateNullRegion()) {
            pair.request(1, WorkRequestOpcode.RDMA_WRITE).remote(0, nothing.rkey());
            pair.fromA(8);
            pair.post(pair.a);
            pair.expect(pair.queueA, 1, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void aQueuePairIsCreatedInAThreadDomain() {
        assumeHas(() -> pair.context.allocateThreadDomain().close());
        try (ThreadDomain threads = pair.context.allocateThreadDomain();
                ProtectionDomain domain = pair.domain.allocateParentDomain(threads)) {
            assertThatThrownBy(threads::close)
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EBUSY");
            try (QueuePair own = domain.createQueuePair(
                    pair.queueB, pair.queueB, new QueuePairCapacity(Pair.DEPTH, Pair.DEPTH, 2, 1, 32))) {
                Pair.init(pair.a, Pair.REMOTE);
                Pair.init(own, Pair.REMOTE);
                pair.a.modify(pair.toReadyToReceive(own, 0x10));
                own.modify(pair.toReadyToReceive(pair.a, 0x20));
                pair.a.modify(Pair.toReadyToSend(0x20));
                own.modify(Pair.toReadyToSend(0x10));
                pair.receive(own, pair.memoryB, 3, PART); // memory of the domain that the parent stands for
                pair.request(2, WorkRequestOpcode.SEND);
                pair.fromA(PART);
                pair.post(pair.a);
                pair.succeeds(pair.queueA, 2);
                pair.succeeds(pair.queueB, 3);
                pair.assertSame(PART);
            }
        }
    }
}
