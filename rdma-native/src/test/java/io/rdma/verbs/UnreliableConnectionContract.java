package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.GidTableEntry;
import io.rdma.types.Mtu;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of unreliable connections on every device. */
abstract class UnreliableConnectionContract {
    private static final int PSN = 0xfffffe; // wraps soon

    private DeviceContext context;
    private ProtectionDomain domain;
    private TransportSide a;
    private TransportSide b;

    abstract String device();

    /** Returns the interface by which the queue pairs are posted to and the completion queues polled. */
    PostingInterface way() {
        return PostingInterface.CLASSIC;
    }

    /**
     * Returns the state of an unreliable queue pair after a send error of its own: IB specification volume 1, 10.3.1.
     */
    QueuePairState afterSendError() {
        return QueuePairState.SQE;
    }

    /** Returns the status of a request whose memory is not registered: IB specification volume 1, 11.6.2. */
    WorkCompletionStatus unregisteredSource() {
        return WorkCompletionStatus.LOC_PROT_ERR;
    }

    @BeforeEach
    void open() {
        context = TestDevice.assumedInfiniBand(device()).open();
        domain = context.allocateProtectionDomain();
        a = new TransportSide(context, domain, QueuePairType.UC, way(), 1);
        b = new TransportSide(context, domain, QueuePairType.UC, way(), 2);
    }

    @AfterEach
    void close() {
        if (context != null) {
            a.close();
            b.close();
            domain.close();
            context.close();
        }
    }

    private void connect() {
        up(a, b, PSN);
        up(b, a, PSN);
    }

    private void up(TransportSide side, TransportSide peer, int rqPsn) {
        GidTableEntry gid = RoutablePath.gid(context);
        init(side);
        side.pair.modify(QueuePairAttributes.toState(QueuePairState.RTR)
                .pathMtu(Mtu.BYTES_1024)
                .destQpNum(peer.pair.number())
                .rqPsn(rqPsn)
                .path(AddressHandleAttributes.of(GlobalRoute.to(gid.gid(), gid.index()), 1)));
        side.pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(PSN));
    }

    private static void init(TransportSide side) {
        side.pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .access(EnumSet.of(AccessFlag.REMOTE_WRITE)));
    }

    private SendChain write(long wrId, WorkRequestOpcode opcode, int length) {
        return a.request(wrId, opcode, 0, length).remote(b.memory.segment().address(), b.memory.rkey());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1023, 1024, 1025, 20_000})
    void sendsAndWritesMoveEveryByte(int length) {
        connect();
        b.receive(9, 0, TransportSide.SIZE);
        a.request(1, WorkRequestOpcode.SEND, 0, length);
        a.post();
        a.expect(1, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.byteLength(0)).isEqualTo(length);
        assertThat(b.completion.hasImmediate(0)).isFalse();
        assertThat(b.bytes(0, length).mismatch(a.bytes(0, length))).isEqualTo(-1);

        b.memory.segment().fill((byte) 0);
        b.receive(10, 0, 8);
        write(2, WorkRequestOpcode.RDMA_WRITE, length);
        write(3, WorkRequestOpcode.RDMA_WRITE_WITH_IMM, length).immediate(0x01020304);
        a.post();
        a.expect(2, WorkCompletionStatus.SUCCESS);
        a.expect(3, WorkCompletionStatus.SUCCESS);
        b.expect(10, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.isReceiveOfWrite(0)).isTrue();
        assertThat(b.completion.immediate(0)).isEqualTo(0x01020304);
        assertThat(b.bytes(0, length).mismatch(a.bytes(0, length))).isEqualTo(-1);
        assertThat(b.bytes(length, 1).get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0))
                .isZero();
    }

    @Test
    void theEndOfALimitFreesWhatWaits() {
        connect();
        int lowest = a.assumeLimited();
        a.pair.limitRate(lowest, 2 * Mtu.BYTES_1024.bytes(), 0);
        write(1, WorkRequestOpcode.RDMA_WRITE, TransportSide.SIZE);
        a.post();
        a.pair.query(); // by now the device has sent what it may
        assertThat(a.queue.poll(a.completion)).isZero();
        a.pair.limitRate(0, 0, 0);
        a.expect(1, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void whatALimitHoldsBackIsSentLater() {
        connect();
        a.pair.limitRate(Math.max(a.assumeLimited(), 100_000), 2 * Mtu.BYTES_1024.bytes(), 0);
        write(1, WorkRequestOpcode.RDMA_WRITE, TransportSide.SIZE);
        a.post();
        a.expect(1, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void immediateDataArrivesWithASend() {
        connect();
        b.receive(9, 0, 5000);
        a.request(1, WorkRequestOpcode.SEND_WITH_IMM, 0, 5000).immediate(-2);
        a.post();
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.immediate(0)).isEqualTo(-2);
        assertThat(b.completion.isReceiveOfWrite(0)).isFalse();
        a.expect(1, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void withoutAReceiveAMessageIsLostAndBothGoOn() {
        connect();
        a.request(1, WorkRequestOpcode.SEND, 0, 3000);
        a.post();
        a.expect(1, WorkCompletionStatus.SUCCESS); // says nothing about the peer
        fence(2);
        b.receive(9, 0, 4000);
        a.request(3, WorkRequestOpcode.SEND, 100, 2000);
        a.post();
        a.expect(3, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.byteLength(0)).isEqualTo(2000);
        assertThat(b.bytes(0, 2000).mismatch(a.bytes(100, 2000))).isEqualTo(-1);
        assertThat(b.pair.queryState()).isEqualTo(QueuePairState.RTS);
    }

    /**
     * Waits until the last byte of the region changes. By then everything that was sent before has been executed or
     * dropped.
     */
    private void fence(long wrId) {
        var last = b.bytes(TransportSide.SIZE - 1, 1);
        last.fill((byte) 0);
        a.bytes(0, 1).fill((byte) 1);
        a.request(wrId, WorkRequestOpcode.RDMA_WRITE, 0, 1)
                .remote(b.memory.segment().address() + TransportSide.SIZE - 1, b.memory.rkey());
        a.post();
        a.expect(wrId, WorkCompletionStatus.SUCCESS);
        TransportSide.await(() -> {
            java.lang.invoke.VarHandle.fullFence();
            return last.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0) == 1;
        });
    }

    @Test
    void aForbiddenWriteIsLostSilently() {
        connect();
        b.memory.segment().fill((byte) 0);
        a.request(1, WorkRequestOpcode.RDMA_WRITE, 0, 3000)
                .remote(b.memory.segment().address(), b.memory.rkey() ^ 0x7f00);
        a.request(2, WorkRequestOpcode.RDMA_WRITE, 0, 3000)
                .remote(b.memory.segment().address() + TransportSide.SIZE - 2999, b.memory.rkey());
        a.post();
        a.expect(1, WorkCompletionStatus.SUCCESS);
        a.expect(2, WorkCompletionStatus.SUCCESS);
        fence(3);
        assertThat(b.bytes(0, TransportSide.SIZE - 1).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                .containsOnly(0);
        assertThat(b.pair.queryState()).isEqualTo(QueuePairState.RTS);
    }

    /** A message whose first packet does not have the expected PSN starts anew. So a receiver recovers from losses. */
    @Test
    void aGapInTheSequenceLosesNoCompleteMessage() {
        up(a, b, PSN);
        up(b, a, PSN - 1000);
        b.receive(9, 0, 4000);
        a.request(1, WorkRequestOpcode.SEND, 0, 4000);
        a.post();
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.bytes(0, 4000).mismatch(a.bytes(0, 4000))).isEqualTo(-1);
        a.expect(1, WorkCompletionStatus.SUCCESS);
    }

    @ParameterizedTest
    @EnumSource(
            value = WorkRequestOpcode.class,
            names = {"RDMA_READ", "ATOMIC_CMP_AND_SWP", "ATOMIC_FETCH_AND_ADD"})
    void anUnsupportedOperationIsRefusedBeforeThePost(WorkRequestOpcode opcode) {
        connect();
        write(1, WorkRequestOpcode.RDMA_WRITE, 8);
        write(2, opcode, 8);
        assertThatThrownBy(() -> a.pair.post(a.sends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UC has no " + opcode)
                .hasMessageContaining("RC");
        a.sends.clear();
        write(3, WorkRequestOpcode.RDMA_WRITE, 8);
        a.post();
        a.expect(3, WorkCompletionStatus.SUCCESS); // not the first write
    }

    @Test
    void anUnregisteredSourceFailsAtTheSender() {
        connect();
        a.sends
                .add(5, WorkRequestOpcode.SEND)
                .entry(a.memory.segment().address() + TransportSide.SIZE, 64, a.memory.lkey())
                .signaled();
        a.request(6, WorkRequestOpcode.SEND, 0, 8);
        a.post();
        a.expect(5, unregisteredSource());
        a.expect(6, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(a.pair.queryState()).isEqualTo(afterSendError());
        assertThat(b.pair.queryState()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void aQueuePairLeavesSqe() {
        assumeThat(afterSendError())
                .as("the state after a send error on this device")
                .isEqualTo(QueuePairState.SQE);
        connect();
        a.request(5, WorkRequestOpcode.SEND, TransportSide.SIZE, 64); // behind the region
        a.post();
        a.expect(5, unregisteredSource());
        a.request(6, WorkRequestOpcode.SEND, 0, 8);
        a.post();
        a.expect(6, WorkCompletionStatus.WR_FLUSH_ERR);
        a.receive(7, 0, 64);
        b.request(8, WorkRequestOpcode.SEND, 0, 64); // SQE stops sends alone
        b.post();
        b.expect(8, WorkCompletionStatus.SUCCESS);
        a.expect(7, WorkCompletionStatus.SUCCESS);
        a.pair.modify(QueuePairAttributes.toState(QueuePairState.RTS));
        assertThat(a.pair.queryState()).isEqualTo(QueuePairState.RTS);
        b.receive(9, 0, 3000);
        a.request(10, WorkRequestOpcode.SEND, 0, 3000);
        a.post();
        a.expect(10, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.bytes(0, 3000).mismatch(a.bytes(0, 3000))).isEqualTo(-1);
    }

    @Test
    void retryAttributesAreRefused() {
        init(a);
        assertThatThrownBy(() -> a.pair.modify(QueuePairAttributes.toState(QueuePairState.RTR)
                        .pathMtu(Mtu.BYTES_1024)
                        .destQpNum(1)
                        .rqPsn(0)
                        .minRnrTimer(1)
                        .maxDestRdAtomic(1)
                        .path(1, 0, RoutablePath.gid(context).gid(), 0)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
}
