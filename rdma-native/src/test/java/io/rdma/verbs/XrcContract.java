package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.RoutablePath;
import io.rdma.types.AccessFlag;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.DeviceCapability;
import io.rdma.types.Errno;
import io.rdma.types.Mtu;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of extended reliable connections, the same on every device. There are one sender, one receiving queue pair,
 * and two shared receive queues in domains of their own.
 */
abstract class XrcContract {
    private static final int SIZE = 1 << 16;
    private static final int DEPTH = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Set<AccessFlag> REMOTE =
            EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private DeviceContext context;
    private ProtectionDomain domain;
    private ProtectionDomain otherDomain;
    private XrcDomain xrc;
    private CompletionQueue sent;
    private CompletionQueue first;
    private CompletionQueue second;
    private MemoryRegion memory;
    private MemoryRegion otherMemory;
    private SharedReceiveQueue one;
    private SharedReceiveQueue two;
    private QueuePair sender;
    private QueuePair receiver;
    private final SendChain sends = new SendChain(DEPTH, 1);
    private final ReceiveChain receives = new ReceiveChain(1, 1);
    private final CompletionBatch batch = new CompletionBatch(1);

    /** Returns the device. Skips the test where it is missing. */
    abstract RdmaDevice device();

    /** Returns the interface by which the queue pairs are posted to and the completion queues polled. */
    PostingInterface way() {
        return PostingInterface.CLASSIC;
    }

    @BeforeEach
    void open() {
        context = device().open();
        try {
            xrc = context.openXrcDomain();
        } catch (VerbsException e) {
            context.close();
            context = null;
            assertThat(e.errno()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
            Assumptions.abort("this device has no extended reliable connections: " + e.getMessage());
        }
        domain = context.allocateProtectionDomain();
        otherDomain = context.allocateProtectionDomain();
        sent = context.createCompletionQueue(2 * DEPTH, null, way(), CompletionTimestamp.NONE);
        first = context.createCompletionQueue(2 * DEPTH, null, way(), CompletionTimestamp.NONE);
        second = context.createCompletionQueue(2 * DEPTH, null, way(), CompletionTimestamp.NONE);
        memory = domain.allocate(SIZE, REMOTE);
        otherMemory = otherDomain.allocate(SIZE, REMOTE);
        one = domain.createSharedReceiveQueue(xrc, first, SharedReceiveQueueAttributes.of(DEPTH, 1));
        two = otherDomain.createSharedReceiveQueue(xrc, second, SharedReceiveQueueAttributes.of(DEPTH, 1));
        sender = domain.createQueuePair(
                QueuePairType.XRC_SEND, sent, sent, null, new QueuePairCapacity(DEPTH, 1, 1, 1, 0), way());
        receiver = xrc.createReceiveQueuePair();
        init(sender);
        init(receiver);
        sender.modify(toReceive(receiver));
        receiver.modify(toReceive(sender).maxDestRdAtomic(4).minRnrTimer(1));
        sender.modify(QueuePairAttributes.toState(QueuePairState.RTS)
                .sqPsn(7)
                .timeout(14)
                .retryCnt(7)
                .rnrRetry(7)
                .maxRdAtomic(4));
        receiver.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(7).timeout(14));
    }

    private static void init(QueuePair pair) {
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .access(REMOTE));
    }

    private QueuePairAttributes toReceive(QueuePair peer) {
        return RoutablePath.toReadyToReceive(context, peer, 7).pathMtu(Mtu.BYTES_1024);
    }

    @AfterEach
    void close() {
        if (context == null) {
            return;
        }
        sender.close();
        receiver.close();
        one.close();
        two.close();
        sent.close();
        first.close();
        second.close();
        memory.close();
        otherMemory.close();
        domain.close();
        otherDomain.close();
        xrc.close();
        context.close();
    }

    private void receive(SharedReceiveQueue queue, MemoryRegion into, long wrId, int bytes) {
        receives.clear();
        receives.add(wrId).entry(into.segment().address(), bytes, into.lkey());
        assertThat(queue.post(receives)).isZero();
    }

    private void send(SharedReceiveQueue to, long wrId, int bytes) {
        sends.clear();
        sends.add(wrId, WorkRequestOpcode.SEND).sharedReceiveQueue(to.number()).signaled();
        sends.entry(memory.segment().address() + SIZE / 2, bytes, memory.lkey());
        assertThat(sender.post(sends)).isZero();
    }

    private void expect(CompletionQueue queue, long wrId, WorkCompletionStatus status) {
        expect(queue, wrId, Set.of(status));
    }

    /**
     * Returns the statuses that a refusal may have at the sender. The receiver answers a refused request once: if that
     * answer is lost, no other follows.
     */
    Set<WorkCompletionStatus> seenAs(WorkCompletionStatus refusal) {
        return Set.of(refusal);
    }

    private void expectRefused(long wrId, WorkCompletionStatus status) {
        expect(sent, wrId, seenAs(status));
    }

    private void expect(CompletionQueue queue, long wrId, Set<WorkCompletionStatus> statuses) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (queue.poll(batch) == 0) {
            assertThat(System.nanoTime()).as("a completion in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(batch.wrId(0)).isEqualTo(wrId);
        assertThat(WorkCompletionStatus.of(batch.status(0))).isIn(statuses);
    }

    @Test
    void theSenderChoosesTheReceiveQueue() {
        assertThat(one.number()).isNotEqualTo(two.number());
        for (int round = 0; round < 20; round++) { // more rounds than the queues have places
            memory.segment().set(ValueLayout.JAVA_BYTE, SIZE / 2 + 4999, (byte) round);
            receive(one, memory, 11, 8192);
            receive(two, otherMemory, 22, 8192);
            send(two, 1, 5000);
            send(one, 2, 1);
            expect(second, 22, WorkCompletionStatus.SUCCESS);
            assertThat(batch.byteLength(0)).isEqualTo(5000);
            assertThat(batch.qpNumber(0)).isEqualTo(receiver.number());
            assertThat(otherMemory.segment().get(ValueLayout.JAVA_BYTE, 4999)).isEqualTo((byte) round);
            expect(first, 11, WorkCompletionStatus.SUCCESS);
            expect(sent, 1, WorkCompletionStatus.SUCCESS);
            expect(sent, 2, WorkCompletionStatus.SUCCESS);
        }
    }

    @Test
    void memoryMustBelongToTheQueuesDomain() {
        sends.clear();
        sends.add(1, WorkRequestOpcode.RDMA_WRITE)
                .sharedReceiveQueue(two.number())
                .remote(otherMemory.segment().address(), otherMemory.rkey())
                .entry(memory.segment().address() + SIZE / 2, 3000, memory.lkey());
        sends.add(2, WorkRequestOpcode.RDMA_READ)
                .sharedReceiveQueue(two.number())
                .remote(otherMemory.segment().address(), otherMemory.rkey())
                .entry(memory.segment().address(), 3000, memory.lkey());
        sends.add(3, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD)
                .sharedReceiveQueue(one.number())
                .atomic(memory.segment().address() + 8192, memory.rkey(), 5, 0)
                .signaled()
                .entry(memory.segment().address() + 8200, 8, memory.lkey());
        memory.segment().set(ValueLayout.JAVA_BYTE, SIZE / 2 + 2999, (byte) 9);
        assertThat(sender.post(sends)).isZero();
        expect(sent, 3, WorkCompletionStatus.SUCCESS);
        assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 2999)).isEqualTo((byte) 9);
        assertThat(memory.segment().get(ValueLayout.JAVA_LONG, 8192)).isEqualTo(5);
        sends.clear();
        sends.add(4, WorkRequestOpcode.RDMA_WRITE) // a key of one domain with the queue of the other
                .sharedReceiveQueue(one.number())
                .remote(otherMemory.segment().address(), otherMemory.rkey())
                .entry(memory.segment().address(), 8, memory.lkey());
        assertThat(sender.post(sends)).isZero();
        expectRefused(4, WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void theDeviceAnnouncesThem() {
        assertThat(context.queryDevice().capabilities()).contains(DeviceCapability.XRC);
    }

    @Test
    void aRequestToAClosedQueueIsInvalid() {
        int gone = two.number();
        two.close();
        sends.clear();
        sends.add(1, WorkRequestOpcode.SEND).sharedReceiveQueue(gone).signaled();
        sends.entry(memory.segment().address(), 8, memory.lkey());
        assertThat(sender.post(sends)).isZero();
        expectRefused(1, WorkCompletionStatus.REM_INV_REQ_ERR);
    }

    @Test
    void aDomainInUseIsNotClosedAndNothingIsPostedToTheReceiver() {
        assertThatThrownBy(xrc::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
        sends.clear();
        sends.add(1, WorkRequestOpcode.SEND).entry(memory.segment().address(), 8, memory.lkey());
        assertThatThrownBy(() -> receiver.post(sends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("XRC_RECV");
    }
}
