package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.Errno;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.Signaling;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.time.Duration;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Contract of the extended interfaces, the same on every device: their additional functions, and their use together
 * with the classic interfaces. One queue pair is connected to itself.
 */
abstract class ExtendedInterfaceContract {
    private static final int DEPTH = 8;
    private static final long DRIFT_NANOS = 1_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private DeviceContext context;
    private ProtectionDomain domain;
    private MemoryRegion memory;
    private CompletionQueue queue;
    private QueuePair pair;
    private final SendChain sends = new SendChain(2 * DEPTH, 1);
    private final ReceiveChain receives = new ReceiveChain(1, 1);
    private final CompletionBatch batch = new CompletionBatch(2 * DEPTH);

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        context = TestDevice.assumedInfiniBand(device()).open();
        domain = context.allocateProtectionDomain();
        memory = domain.allocate(4096, EnumSet.of(AccessFlag.REMOTE_WRITE));
    }

    @AfterEach
    void close() {
        if (context == null) {
            return;
        }
        if (pair != null) {
            pair.close();
        }
        if (queue != null) {
            queue.close();
        }
        memory.close();
        domain.close();
        context.close();
    }

    private void connect(PostingInterface posting, PostingInterface polling, CompletionTimestamp timestamp) {
        connect(posting, polling, timestamp, Signaling.REQUESTED);
    }

    private void connect(
            PostingInterface posting, PostingInterface polling, CompletionTimestamp timestamp, Signaling signaling) {
        queue = context.createCompletionQueue(4 * DEPTH, null, polling, timestamp);
        QueuePairCapacity capacity = new QueuePairCapacity(DEPTH, DEPTH, 1, 1, 32);
        pair = domain.createQueuePair(QueuePairType.RC, queue, queue, null, capacity, posting, signaling);
        assertThat(pair.posting()).isEqualTo(posting);
        assertThat(queue.polling()).isEqualTo(polling);
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .access(EnumSet.of(AccessFlag.REMOTE_WRITE)));
        pair.modify(RoutablePath.toReadyToReceive(context, pair, 5)
                .maxDestRdAtomic(1)
                .minRnrTimer(1));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS)
                .sqPsn(5)
                .timeout(14)
                .retryCnt(7)
                .rnrRetry(7)
                .maxRdAtomic(1));
    }

    private void write(long wrId) {
        sends.add(wrId, WorkRequestOpcode.RDMA_WRITE)
                .remote(memory.segment().address() + 1024, memory.rkey())
                .signaled()
                .entry(memory.segment().address(), 8, memory.lkey());
    }

    /**
     * Polls the given number of successful completions, in batches of any size.
     *
     * @return timestamps of all
     */
    private long[] expect(int completions) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        long[] times = new long[completions];
        int done = 0;
        while (done < completions) {
            int polled = queue.poll(batch);
            assertThat(polled).isNotNegative();
            for (int i = 0; i < polled; i++) {
                assertThat(WorkCompletionStatus.of(batch.status(i))).isEqualTo(WorkCompletionStatus.SUCCESS);
                times[done] = batch.timestamp(i);
                assertThat(batch.wrId(i)).isEqualTo(done++);
                assertThat(batch.qpNumber(i)).isEqualTo(pair.number());
            }
            assertThat(System.nanoTime()).as("completions in time").isLessThan(deadline);
        }
        return times;
    }

    @ParameterizedTest(name = "posted to {0}, polled {1}")
    @CsvSource({"CLASSIC, EXTENDED", "EXTENDED, CLASSIC", "EXTENDED, EXTENDED"})
    void theInterfacesMix(PostingInterface posting, PostingInterface polling) {
        connect(posting, polling, CompletionTimestamp.NONE);
        for (int round = 0; round < 10; round++) {
            sends.clear();
            for (int i = 0; i < DEPTH; i++) {
                write(i);
            }
            assertThat(pair.post(sends)).isZero();
            expect(DEPTH);
        }
        receives.clear();
        receives.add(0).entry(memory.segment().address() + 512, 64, memory.lkey());
        assertThat(pair.post(receives)).isZero();
        sends.clear();
        sends.add(1, WorkRequestOpcode.SEND_WITH_IMM).immediate(0x01020304).inline();
        sends.entry(memory.segment().address(), 32, 0);
        assertThat(pair.post(sends)).isZero();
        expect(1);
        assertThat(batch.byteLength(0)).isEqualTo(32);
        assertThat(batch.hasImmediate(0)).isTrue();
        assertThat(batch.immediate(0)).isEqualTo(0x01020304);
    }

    @Test
    void aChainThatIsRefusedIsNotPostedAtAll() {
        connect(PostingInterface.EXTENDED, PostingInterface.EXTENDED, CompletionTimestamp.NONE);
        Assumptions.assumeTrue(
                pair.capacity().maxInlineData() < 1024, "this device granted more inline data than asked for");
        sends.clear();
        write(0);
        sends.add(1, WorkRequestOpcode.SEND).inline();
        sends.entry(memory.segment().address(), 1024, memory.lkey());
        write(2);
        assertThat(pair.post(sends)).isNegative();
        assertThat(pair.postedBeforeFailure(sends)).isZero();
        sends.clear();
        write(0);
        assertThat(pair.post(sends)).isZero();
        expect(1);
        assertThat(queue.poll(batch)).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void completionsHaveATimestamp(CompletionTimestamp timestamp) {
        long before = System.currentTimeMillis();
        try {
            connect(PostingInterface.CLASSIC, PostingInterface.EXTENDED, timestamp);
        } catch (VerbsException e) {
            assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP);
            Assumptions.abort("this device has no " + timestamp + ": " + e.getMessage());
        }
        sends.clear();
        for (int i = 0; i < DEPTH; i++) {
            write(i);
        }
        assertThat(pair.post(sends)).isZero();
        long[] times = expect(DEPTH);
        assertThat(times).isSorted();
        assertThat(times[0]).isNotZero();
        if (timestamp == CompletionTimestamp.WALL_CLOCK) {
            assertThat(times[0] / 1_000_000).isBetween(before, System.currentTimeMillis());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLASSIC", "EXTENDED"})
    void everySendCompletesIfAllAreSignaled(PostingInterface posting) {
        connect(posting, posting, CompletionTimestamp.NONE, Signaling.ALL);
        assertThat(pair.query().sqSigAll()).isTrue();
        sends.clear();
        for (int i = 0; i < DEPTH; i++) {
            sends.add(i, WorkRequestOpcode.RDMA_WRITE)
                    .remote(memory.segment().address() + 1024, memory.rkey())
                    .entry(memory.segment().address(), 8, memory.lkey());
        }
        assertThat(pair.post(sends)).isZero();
        expect(DEPTH);
    }

    @Test
    void theClockOfTheDeviceIsMappedToOurs() {
        try {
            context.queryRawClock();
            connect(PostingInterface.CLASSIC, PostingInterface.EXTENDED, CompletionTimestamp.DEVICE_CLOCK);
        } catch (VerbsException e) {
            assertThat(e.errno()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
            Assumptions.abort("this device lacks it: " + e.getMessage());
        }
        DeviceClock clock = context.compareClocks();
        assertThat(clock.uncertaintyNanos()).isPositive();
        long margin = clock.uncertaintyNanos() + DRIFT_NANOS;
        long before = context.environment().nanoTime();
        sends.clear();
        write(0);
        assertThat(pair.post(sends)).isZero();
        long completed = clock.nanoTime(expect(1)[0]);
        long read = clock.nanoTime(context.queryRawClock());
        long after = context.environment().nanoTime();
        assertThat(completed).isBetween(before - margin, after + margin);
        assertThat(read).isBetween(completed - margin, after + margin);
    }

    @Test
    void aTimestampNeedsTheExtendedInterface() {
        assertThatThrownBy(() -> context.createCompletionQueue(
                        1, null, PostingInterface.CLASSIC, CompletionTimestamp.DEVICE_CLOCK))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("extended");
    }
}
