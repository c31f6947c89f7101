package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Random;
import java.util.Set;

/**
 * Two queue pairs of one device with a completion queue and some memory each, for tests that post to one and look at
 * the other.
 */
final class Pair implements AutoCloseable {
    static final int SIZE = 1 << 14;
    static final int DEPTH = 16;
    static final Set<AccessFlag> REMOTE =
            EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);
    static final int MANY_RETRIES = 7;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RNR_10_MICROS = 1;

    final DeviceContext context;
    final ProtectionDomain domain;
    final CompletionChannel channel;
    final CompletionQueue queueA;
    final CompletionQueue queueB; // its events go to the channel
    final MemoryRegion memoryA;
    final MemoryRegion memoryB;
    final SendChain sends = new SendChain(2 * DEPTH, 2);
    final ReceiveChain receives = new ReceiveChain(2 * DEPTH, 1);
    final QueuePair a;
    final QueuePair b;
    final CompletionBatch completion = new CompletionBatch(1);

    /**
     * Creates two queue pairs in RESET.
     *
     * @param accessB access to the memory of the second one
     */
    Pair(String device, Set<AccessFlag> accessB) {
        this(TestDevice.assumedInfiniBand(device), accessB, PostingInterface.CLASSIC);
    }

    /**
     * Creates two queue pairs in RESET.
     *
     * @param accessB access to the memory of the second one
     * @param posting interface by which requests are posted
     */
    Pair(RdmaDevice device, Set<AccessFlag> accessB, PostingInterface posting) {
        context = device.open();
        domain = context.allocateProtectionDomain();
        channel = context.createCompletionChannel();
        queueA = context.createCompletionQueue(4 * DEPTH, null);
        queueB = context.createCompletionQueue(4 * DEPTH, channel);
        QueuePairCapacity capacity = new QueuePairCapacity(DEPTH, DEPTH, 2, 1, 32);
        a = domain.createQueuePair(QueuePairType.RC, queueA, queueA, null, capacity, posting);
        b = domain.createQueuePair(QueuePairType.RC, queueB, queueB, null, capacity, posting);
        memoryA = domain.allocate(SIZE, EnumSet.of(AccessFlag.LOCAL_WRITE));
        memoryB = domain.allocate(SIZE, accessB);
        byte[] random = new byte[SIZE];
        new Random(11).nextBytes(random);
        memoryA.segment().copyFrom(MemorySegment.ofArray(random));
    }

    /** Connects both queue pairs and moves them to RTS. */
    Pair connect() {
        connect(REMOTE);
        return this;
    }

    /**
     * Connects both queue pairs and moves them to RTS.
     *
     * @param accessB access of the second queue pair
     */
    void connect(Set<AccessFlag> accessB) {
        init(a, REMOTE);
        init(b, accessB);
        a.modify(toReadyToReceive(b, 0x10));
        b.modify(toReadyToReceive(a, 0xfffff0));
        a.modify(toReadyToSend(0xfffff0));
        b.modify(toReadyToSend(0x10));
    }

    static void init(QueuePair pair, Set<AccessFlag> access) {
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .access(access));
    }

    QueuePairAttributes toReadyToReceive(QueuePair peer, int rqPsn) {
        return RoutablePath.toReadyToReceive(context, peer, rqPsn)
                .maxDestRdAtomic(4)
                .minRnrTimer(RNR_10_MICROS);
    }

    static QueuePairAttributes toReadyToSend(int sqPsn) {
        return QueuePairAttributes.toState(QueuePairState.RTS)
                .sqPsn(sqPsn)
                .timeout(14)
                .retryCnt(MANY_RETRIES)
                .rnrRetry(MANY_RETRIES)
                .maxRdAtomic(4);
    }

    /** Starts a request in the chain. */
    SendChain request(long wrId, WorkRequestOpcode opcode) {
        return sends.add(wrId, opcode).signaled();
    }

    /** Adds the first bytes of a's memory to the request. */
    void fromA(int length) {
        sends.entry(memoryA.segment().address(), length, memoryA.lkey());
    }

    /** Posts the chain and clears it. */
    void post(QueuePair to) {
        assertThat(to.post(sends)).isZero();
        sends.clear();
    }

    void receive(QueuePair pair, MemoryRegion memory, long wrId, int length) {
        receives.clear();
        receives.add(wrId).entry(memory.remote().address(), length, memory.lkey());
        assertThat(pair.post(receives)).isZero();
    }

    /** Awaits exactly one completion. */
    void expect(CompletionQueue queue, long wrId, WorkCompletionStatus status) {
        take(queue, wrId);
        assertThat(WorkCompletionStatus.of(completion.status(0)))
                .as("status of " + wrId)
                .isEqualTo(status);
    }

    private void take(CompletionQueue queue, long wrId) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        int polled;
        while ((polled = queue.poll(completion)) == 0) {
            assertThat(System.nanoTime())
                    .as("completion of " + wrId + " in time")
                    .isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(polled).isOne();
        assertThat(completion.wrId(0)).isEqualTo(wrId);
    }

    /**
     * Awaits the failure of a request that the queue pair does not allow. Some devices report an invalid request,
     * others an access error.
     */
    void expectNotAllowed(CompletionQueue queue, long wrId) {
        take(queue, wrId);
        assertThat(WorkCompletionStatus.of(completion.status(0)))
                .isIn(WorkCompletionStatus.REM_ACCESS_ERR, WorkCompletionStatus.REM_INV_REQ_ERR);
    }

    void succeeds(CompletionQueue queue, long wrId) {
        expect(queue, wrId, WorkCompletionStatus.SUCCESS);
    }

    /** Checks that b's memory begins like a's. */
    void assertSame(int length) {
        assertThat(memoryB.segment()
                        .asSlice(0, length)
                        .mismatch(memoryA.segment().asSlice(0, length)))
                .isEqualTo(-1);
    }

    @Override
    public void close() {
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
}
