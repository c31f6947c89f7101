package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.Errno;
import io.rdma.types.GidType;
import io.rdma.types.PortAttributes;
import io.rdma.types.PortState;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract of the verbs objects, the same on every device. It uses two queue pairs that are connected to each other.
 */
abstract class VerbsContract {
    private static final int SIZE = 1 << 20;
    private static final int DEPTH = 16;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RNR_10_MICROS = 1;

    private DeviceContext context;
    private ProtectionDomain domain;
    private CompletionChannel channel;
    private CompletionQueue queueA;
    private CompletionQueue queueB;
    private QueuePair a;
    private QueuePair b;
    private MemoryRegion memoryA;
    private MemoryRegion memoryB;
    private final SendChain sends = new SendChain(2 * DEPTH, 2);
    private final ReceiveChain receives = new ReceiveChain(2 * DEPTH, 1);
    private final CompletionBatch batch = new CompletionBatch(2 * DEPTH);
    private CompletionBatch completion = batch;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns the interface by which the queue pairs are posted to and the completion queues polled. */
    PostingInterface way() {
        return PostingInterface.CLASSIC;
    }

    /** Returns whether a request may have entries of different lengths. */
    boolean gathers() {
        return true;
    }

    /**
     * Returns the sender's status for a message that is too large: IB specification volume 1, 9.7.4.1.2, NAK invalid
     * request.
     */
    WorkCompletionStatus tooLargeAtSender() {
        return WorkCompletionStatus.REM_INV_REQ_ERR;
    }

    /** Returns the status of a request whose memory is not registered: IB specification volume 1, 11.6.2. */
    WorkCompletionStatus unregisteredSource() {
        return WorkCompletionStatus.LOC_PROT_ERR;
    }

    /** Returns the receiver's status for a message that is too large. */
    WorkCompletionStatus tooLargeAtReceiver() {
        return WorkCompletionStatus.LOC_LEN_ERR;
    }

    @BeforeEach
    void open() {
        TestDevice.assumedInfiniBand(device());
        context = TestDevice.assumedInfiniBand(device()).open();
        domain = context.allocateProtectionDomain();
        channel = context.createCompletionChannel();
        queueA = context.createCompletionQueue(4 * DEPTH, channel, way(), CompletionTimestamp.NONE);
        queueB = context.createCompletionQueue(4 * DEPTH, null, way(), CompletionTimestamp.NONE);
        QueuePairCapacity capacity = new QueuePairCapacity(DEPTH, DEPTH, 2, 1, 32);
        a = domain.createQueuePair(QueuePairType.RC, queueA, queueA, null, capacity, way());
        b = domain.createQueuePair(QueuePairType.RC, queueB, queueB, null, capacity, way());
        memoryA = domain.allocate(SIZE, EnumSet.of(AccessFlag.LOCAL_WRITE));
        memoryB = domain.allocate(
                SIZE, EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC));
        byte[] random = new byte[SIZE];
        new Random(7).nextBytes(random);
        memoryA.segment().copyFrom(MemorySegment.ofArray(random));
    }

    @AfterEach
    void closeInOrder() {
        if (context == null) {
            return;
        }
        a.close();
        b.close();
        queueA.close();
        queueB.close();
        channel.close();
        memoryA.close();
        memoryB.close();
        domain.close();
        context.close();
    }

    private void connect(int rnrRetry) {
        up(a, b, 0xfffff0, 0x000010, rnrRetry);
        up(b, a, 0x000010, 0xfffff0, rnrRetry);
    }

    /** Moves a queue pair to RTS. The PSNs are near the end, so that every test wraps them. */
    private void up(QueuePair pair, QueuePair peer, int sqPsn, int rqPsn, int rnrRetry) {
        init(pair);
        pair.modify(RoutablePath.toReadyToReceive(context, peer, rqPsn)
                .maxDestRdAtomic(4)
                .minRnrTimer(RNR_10_MICROS));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS)
                .sqPsn(sqPsn)
                .timeout(14)
                .retryCnt(7)
                .rnrRetry(rnrRetry)
                .maxRdAtomic(4));
    }

    private void init(QueuePair pair) {
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(TestDevice.port(context))
                .access(EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)));
    }

    private void receive(QueuePair pair, MemoryRegion memory, long wrId, int length) {
        receives.clear();
        receives.add(wrId).entry(memory.segment().address(), length, memory.lkey());
        assertThat(pair.post(receives)).isZero();
    }

    private SendChain request(long wrId, WorkRequestOpcode opcode) {
        return sends.add(wrId, opcode);
    }

    private SendChain toB(SendChain chain, long offset) {
        return chain.remote(memoryB.segment().address() + offset, memoryB.rkey());
    }

    private void post() {
        assertThat(a.post(sends)).isZero();
        sends.clear();
    }

    /** Awaits exactly one completion. */
    private void next(CompletionQueue queue) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        CompletionBatch single = new CompletionBatch(1);
        int polled;
        while ((polled = queue.poll(single)) == 0) {
            assertThat(System.nanoTime()).as("a completion in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(polled).isOne();
        completion = single;
    }

    private void expect(CompletionQueue queue, long wrId, WorkCompletionStatus status) {
        next(queue);
        assertThat(completion.wrId(0)).isEqualTo(wrId);
        assertThat(WorkCompletionStatus.of(completion.status(0))).isEqualTo(status);
    }

    private void expectError(WorkCompletionStatus status) {
        post();
        expect(queueA, 5, status);
        assertThat(a.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void deviceAndPortAreSane() {
        DeviceAttributes attributes = context.queryDevice();
        assertThat(attributes.maxQpWr()).isGreaterThanOrEqualTo(1024);
        assertThat(attributes.maxCqe()).isGreaterThanOrEqualTo(1024);
        assertThat(attributes.maxSge()).isGreaterThanOrEqualTo(1);
        assertThat(attributes.maxQpRdAtom()).isPositive();
        assertThat(attributes.physPortCnt()).isPositive();
        PortAttributes port = context.queryPort(TestDevice.port(context));
        assertThat(port.state()).isEqualTo(PortState.ACTIVE);
        assertThat(port.activeMtu()).isLessThanOrEqualTo(port.maxMtu());
        assertThat(context.queryGidTable()).anyMatch(e -> e.type() == GidType.ROCE_V2);
        assertThat(context.queryPkey(1, 0)).isEqualTo(0xffff);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 1024, 4096, 4097, 65536, SIZE})
    void sendWriteAndReadMoveEveryByte(int length) {
        connect(7);
        receive(b, memoryB, 9, SIZE);
        sends.clear();
        request(1, WorkRequestOpcode.SEND).signaled();
        addEntry(length);
        post();
        expect(queueA, 1, WorkCompletionStatus.SUCCESS);
        expect(queueB, 9, WorkCompletionStatus.SUCCESS);
        assertThat(completion.byteLength(0)).isEqualTo(length);
        assertSame(length);

        memoryB.segment().fill((byte) 0);
        toB(request(2, WorkRequestOpcode.RDMA_WRITE), 0).signaled();
        addEntry(length);
        post();
        expect(queueA, 2, WorkCompletionStatus.SUCCESS);
        assertSame(length);

        MemorySegment kept = MemorySegment.ofArray(memoryA.segment().toArray(ValueLayout.JAVA_BYTE));
        memoryA.segment().asSlice(0, length).fill((byte) 0);
        toB(request(3, WorkRequestOpcode.RDMA_READ), 0).signaled();
        addEntry(length);
        post();
        expect(queueA, 3, WorkCompletionStatus.SUCCESS);
        assertThat(memoryA.segment().mismatch(kept)).isEqualTo(-1);
    }

    private void addEntry(int length) {
        if (length > 0) {
            sends.entry(memoryA.segment().address(), length, memoryA.lkey());
        }
    }

    private void assertSame(int length) {
        assertThat(memoryB.segment()
                        .asSlice(0, length)
                        .mismatch(memoryA.segment().asSlice(0, length)))
                .isEqualTo(-1);
    }

    @Test
    void immediateDataIsInHostOrderAndAWriteWithItConsumesAReceive() {
        connect(7);
        receive(b, memoryB, 7, 64);
        receive(b, memoryB, 8, 64);
        sends.clear();
        request(1, WorkRequestOpcode.SEND_WITH_IMM).immediate(0x01020304).signaled();
        addEntry(4);
        toB(request(2, WorkRequestOpcode.RDMA_WRITE_WITH_IMM), 128)
                .immediate(-2)
                .signaled();
        addEntry(16);
        post();
        expect(queueB, 7, WorkCompletionStatus.SUCCESS);
        assertThat(completion.hasImmediate(0)).isTrue();
        assertThat(completion.immediate(0)).isEqualTo(0x01020304);
        assertThat(completion.isReceiveOfWrite(0)).isFalse();
        expect(queueB, 8, WorkCompletionStatus.SUCCESS);
        assertThat(completion.immediate(0)).isEqualTo(-2);
        assertThat(completion.isReceiveOfWrite(0)).isTrue();
        assertThat(memoryB.segment().asSlice(128, 16).mismatch(memoryA.segment().asSlice(0, 16)))
                .isEqualTo(-1);
        expect(queueA, 1, WorkCompletionStatus.SUCCESS);
        expect(queueA, 2, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void atomicsReturnTheOldValue() {
        connect(7);
        memoryB.segment().set(ValueLayout.JAVA_LONG, 0, 40);
        sends.clear();
        long result = memoryA.segment().address();
        long counter = memoryB.segment().address();
        request(1, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
                .atomic(counter, memoryB.rkey(), 2, 0)
                .signaled();
        sends.entry(result, 8, memoryA.lkey());
        request(2, WorkRequestOpcode.ATOMIC_CMP_AND_SWP)
                .atomic(counter, memoryB.rkey(), 42, 7)
                .signaled();
        sends.entry(result + 8, 8, memoryA.lkey());
        request(3, WorkRequestOpcode.ATOMIC_CMP_AND_SWP)
                .atomic(counter, memoryB.rkey(), 42, 8)
                .signaled();
        sends.entry(result + 16, 8, memoryA.lkey());
        post();
        expect(queueA, 1, WorkCompletionStatus.SUCCESS);
        expect(queueA, 2, WorkCompletionStatus.SUCCESS);
        expect(queueA, 3, WorkCompletionStatus.SUCCESS);
        assertThat(memoryA.segment().asSlice(0, 24).toArray(ValueLayout.JAVA_LONG))
                .containsExactly(40, 42, 7);
        assertThat(memoryB.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
    }

    @Test
    void entriesAreGatheredAndInlineDataIsCopiedAtThePost() {
        connect(7);
        receive(b, memoryB, 9, 64);
        receive(b, memoryB, 10, 64);
        sends.clear();
        request(1, WorkRequestOpcode.SEND)
                .entry(memoryA.segment().address() + 100, 5, memoryA.lkey())
                .entry(memoryA.segment().address(), gathers() ? 3 : 5, memoryA.lkey());
        post();
        expect(queueB, 9, WorkCompletionStatus.SUCCESS);
        assertThat(completion.byteLength(0)).isEqualTo(gathers() ? 8 : 10);
        assertThat(memoryB.segment().asSlice(0, 5).mismatch(memoryA.segment().asSlice(100, 5)))
                .isEqualTo(-1);
        assertThat(memoryB.segment().asSlice(5, 3).mismatch(memoryA.segment().asSlice(0, 3)))
                .isEqualTo(-1);
        byte first = memoryA.segment().get(ValueLayout.JAVA_BYTE, 0);
        request(2, WorkRequestOpcode.SEND).inline().signaled();
        addEntry(32);
        post();
        memoryA.segment().set(ValueLayout.JAVA_BYTE, 0, (byte) (first + 1));
        expect(queueB, 10, WorkCompletionStatus.SUCCESS);
        assertThat(memoryB.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(first);
        expect(queueA, 2, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void aChainCompletesInOrderAndOneSignalStandsForAll() {
        connect(7);
        for (int round = 0; round < 20; round++) { // the send queue wraps
            sends.clear();
            for (int i = 0; i < DEPTH; i++) {
                toB(request(100 + i, WorkRequestOpcode.RDMA_WRITE), i * 8L);
                addEntry(8);
            }
            sends.signaled();
            post();
            expect(queueA, 100 + DEPTH - 1, WorkCompletionStatus.SUCCESS);
        }
        assertThat(queueA.poll(batch)).isZero();
    }

    @Test
    void aChainLongerThanTheQueueIsPostedAsFarAsItFits() {
        Assumptions.assumeTrue(
                a.capacity().maxSendWr() < 2 * DEPTH, "this device granted a longer queue than asked for");
        connect(7);
        sends.clear();
        for (int i = 0; i < 2 * DEPTH; i++) {
            toB(request(i, WorkRequestOpcode.RDMA_READ), 0).signaled();
            addEntry(8);
        }
        assertThat(a.post(sends)).isEqualTo(-Errno.ENOMEM);
        int posted = a.postedBeforeFailure(sends);
        if (way() == PostingInterface.EXTENDED) {
            assertThat(posted).as("all or nothing").isZero();
            assertThat(queueA.poll(batch)).isZero();
            sends.clear();
            toB(request(0, WorkRequestOpcode.RDMA_READ), 0).signaled();
            addEntry(8);
            post();
            posted = 1;
        } else {
            assertThat(posted).isBetween(DEPTH, 2 * DEPTH - 1);
        }
        for (int i = 0; i < posted; i++) {
            expect(queueA, i, WorkCompletionStatus.SUCCESS);
        }
    }

    @Test
    void aWrongKeyIsARemoteAccessError() {
        connect(7);
        sends.clear();
        request(5, WorkRequestOpcode.RDMA_READ)
                .remote(memoryB.segment().address(), memoryB.rkey() ^ 0x7f00)
                .signaled();
        addEntry(8);
        expectError(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void aRangeOutsideIsARemoteAccessError() {
        connect(7);
        sends.clear();
        toB(request(5, WorkRequestOpcode.RDMA_WRITE), SIZE - 4).signaled();
        addEntry(8);
        expectError(WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void anUnregisteredSourceIsALocalProtectionError() {
        connect(7);
        receive(b, memoryB, 9, 64);
        sends.clear();
        request(5, WorkRequestOpcode.SEND)
                .entry(memoryA.segment().address() + SIZE, 64, memoryA.lkey())
                .signaled();
        expectError(unregisteredSource());
    }

    @Test
    void aMessageLargerThanTheReceiveIsAnErrorAtBothEnds() {
        connect(7);
        receive(b, memoryB, 9, 8);
        sends.clear();
        request(5, WorkRequestOpcode.SEND).signaled();
        addEntry(64);
        post();
        expect(queueA, 5, tooLargeAtSender());
        expect(queueB, 9, tooLargeAtReceiver());
    }

    @Test
    void withoutAReceiveAndWithFiniteRetriesItIsAnRnrError() {
        connect(2);
        sends.clear();
        request(5, WorkRequestOpcode.SEND).signaled();
        addEntry(8);
        expectError(WorkCompletionStatus.RNR_RETRY_EXC_ERR);
    }

    @Test
    void anUnsignaledFailureCompletesAndWhatFollowsIsFlushed() {
        connect(7);
        sends.clear();
        toB(request(1, WorkRequestOpcode.RDMA_WRITE), 0);
        addEntry(8);
        toB(request(5, WorkRequestOpcode.RDMA_WRITE), SIZE - 4);
        addEntry(8);
        toB(request(6, WorkRequestOpcode.RDMA_WRITE), 0);
        addEntry(8);
        post();
        expect(queueA, 5, WorkCompletionStatus.REM_ACCESS_ERR);
        expect(queueA, 6, WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void postedReceivesAreFlushedInOrder() {
        connect(7);
        for (int i = 0; i < DEPTH; i++) {
            receive(b, memoryB, 200 + i, 64);
        }
        b.moveToError();
        for (int i = 0; i < DEPTH; i++) {
            expect(queueB, 200 + i, WorkCompletionStatus.WR_FLUSH_ERR);
        }
    }

    @Test
    void postingInResetIsInvalid() {
        sends.clear();
        request(1, WorkRequestOpcode.SEND);
        addEntry(8);
        assertThat(a.post(sends)).isEqualTo(-Errno.EINVAL);
        receives.clear();
        receives.add(1).entry(memoryA.segment().address(), 8, memoryA.lkey());
        assertThat(a.post(receives)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void aTransitionThatLacksAnAttributeIsInvalid() {
        init(a);
        assertThatThrownBy(() ->
                        a.modify(QueuePairAttributes.toState(QueuePairState.RTR).rqPsn(1)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(a.queryState()).isEqualTo(QueuePairState.INIT);
    }

    /** The memory of a closed channel may become that of the next one, which any thread may create. */
    @Test
    void channelsAreMadeAndClosedByManyThreads() throws Exception {
        Thread[] threads = new Thread[4];
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.ofPlatform().start(() -> {
                try {
                    for (int round = 0; round < 300; round++) {
                        try (CompletionChannel channel = context.createCompletionChannel()) {
                            assertThat(channel.await(0)).isFalse();
                        }
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    @Test
    void anArmedQueueWakesTheChannelOnce() {
        connect(7);
        for (int i = 0; i < 100; i++) {
            queueA.requestNotify();
            sends.clear();
            toB(request(i, WorkRequestOpcode.RDMA_WRITE), 0).signaled();
            addEntry(8);
            post();
            assertThat(channel.await((int) PATIENCE.toMillis())).isTrue();
            channel.takeEvent();
            queueA.acknowledge(1);
            expect(queueA, i, WorkCompletionStatus.SUCCESS);
        }
        assertThat(channel.await(0)).isFalse();
    }

    @Test
    void aWakeUpEndsAWaitAndIsRememberedOnce() {
        channel.wake();
        assertThat(channel.await(-1)).isFalse();
        long start = System.nanoTime();
        assertThat(channel.await(30)).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThan(20_000_000L);
    }

    /** libibverbs would free the context that the objects still use. */
    @Test
    void aDeviceIsNotClosedBeforeWhatWasMadeOfIt() {
        List<Function<DeviceContext, NativeObject>> made = List.of(
                DeviceContext::allocateProtectionDomain,
                DeviceContext::createCompletionChannel,
                device -> device.createCompletionQueue(1, null, way(), CompletionTimestamp.NONE));
        for (Function<DeviceContext, NativeObject> one : made) {
            DeviceContext device = TestDevice.assumedInfiniBand(device()).open();
            NativeObject object = one.apply(device);
            assertThatThrownBy(device::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
            assertThat(device.isClosed()).isFalse();
            object.close();
            device.close();
            assertThatThrownBy(() -> one.apply(device)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void closedObjectsAndRegionsInUseAreReported() {
        MemoryRegion region = domain.allocate(64, EnumSet.of(AccessFlag.LOCAL_WRITE));
        region.retain();
        region.close();
        assertThat(region.segment().scope().isAlive()).isTrue();
        assertThatThrownBy(region::retain).isInstanceOf(IllegalStateException.class);
        region.release();
        assertThat(region.segment().scope().isAlive()).isFalse();
        assertThatThrownBy(domain::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
        CompletionQueue closed = context.createCompletionQueue(1, null);
        closed.close();
        closed.close();
        assertThatThrownBy(() -> closed.poll(batch)).isInstanceOf(IllegalStateException.class);
    }
}
