package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.AccessFlag;
import io.rdma.types.AtomicCapability;
import io.rdma.types.CmEventType;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.DeviceCapability;
import io.rdma.types.Errno;
import io.rdma.types.Gid;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.PathMigrationState;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Contract of the connection manager for an iWARP device, and what such a device lacks, as Linux's siw does. */
class IwarpCmContractTest extends SoftCmContractTest {
    @Override
    String device() {
        return "soft-iwarp0";
    }

    /** Connects queue pairs that the manager did not create. The kernel finds them by their numbers, iw_cm(9). */
    @Test
    void theManagerMovesQueuePairsOfAnotherContext() {
        DeviceContext context = opened.later(device.open());
        CmIdentifier client = routed(address(listener(host())));
        CmEnd clientEnd = opened.later(CmEnd.outside(context));
        clientEnd.move(client, QueuePairState.INIT);
        clientEnd.postReceive();
        client.connect(ConnectionParameters.DEFAULT.withQueuePair(clientEnd.pair.number(), false));
        CmIdentifier server = request();
        CmEnd serverEnd = opened.later(CmEnd.outside(context));
        serverEnd.move(server, QueuePairState.INIT);
        serverEnd.postReceive();
        assertErrno(Errno.EINVAL, () -> serverEnd.move(server, QueuePairState.RTR));
        server.accept(ConnectionParameters.DEFAULT.withQueuePair(serverEnd.pair.number(), false));
        expect(clients, CmEventType.ESTABLISHED);
        exchange(clientEnd, serverEnd);
        exchange(serverEnd, clientEnd);
    }

    @Test
    void anUnknownQueuePairIsNotAccepted() {
        DeviceContext context = opened.later(device.open());
        CmIdentifier client = routed(address(listener(host())));
        CmEnd clientEnd = opened.later(CmEnd.outside(context));
        clientEnd.move(client, QueuePairState.INIT);
        client.connect(ConnectionParameters.DEFAULT.withQueuePair(clientEnd.pair.number(), false));
        CmIdentifier server = request();
        assertErrno(
                Errno.EINVAL,
                () -> server.accept(
                        ConnectionParameters.DEFAULT.withQueuePair(clientEnd.pair.number() ^ 1 << 23, false)));
        server.reject(new byte[0]);
        expect(clients, CmEventType.REJECTED);
    }

    /** RFC 5044, 7.1.2: the responder sends no FPDU before it has received one. siw does not check it. */
    @Test
    void theServerSpeaksAfterTheClient() {
        Connection made = connected(host());
        for (CmEnd end : new CmEnd[] {made.clientEnd(), made.serverEnd()}) {
            assertThat(end.pair.query().qpAccessFlags()).contains(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        }
        assertThat(made.serverEnd().post(WorkRequestOpcode.SEND, "too early")).isEqualTo(-Errno.EINVAL);
        exchange(made.clientEnd(), made.serverEnd());
        exchange(made.serverEnd(), made.clientEnd());
    }

    /** RFC 5041, 7.1: an untagged message without a buffer is an error of the stream. */
    @Test
    void aMessageWithoutAReceiveEndsTheConnection() {
        Connection made = connected(host());
        exchange(made.clientEnd(), made.serverEnd());
        assertThat(made.clientEnd().post(WorkRequestOpcode.SEND, "has no receive"))
                .isZero();
        made.clientEnd().completed(8, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(made.clientEnd().pair.queryState()).isEqualTo(QueuePairState.ERR);
        assertThat(made.serverEnd().pair.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void aServerWhoseClientHasLeftGetsItsRequestsFlushed() {
        Connection made = connected(host());
        made.server().disconnect();
        made.serverEnd().completed(7, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(made.serverEnd().post(WorkRequestOpcode.SEND, "is flushed")).isZero();
        made.serverEnd().completed(8, WorkCompletionStatus.WR_FLUSH_ERR);
    }

    @Test
    void immediateDataIsNotPosted() {
        Connection made = connected(host());
        assertThat(made.clientEnd().post(WorkRequestOpcode.SEND_WITH_IMM, "immediate"))
                .isEqualTo(-Errno.EINVAL);
        exchange(made.clientEnd(), made.serverEnd());
    }

    @Test
    void theDeviceTellsWhatItLacks() {
        assertThat(device.isIwarp()).isTrue();
        DeviceContext context = opened.later(device.open());
        DeviceAttributes attributes = context.queryDevice();
        assertThat(attributes.atomicCap()).isEqualTo(AtomicCapability.NONE);
        assertThat(attributes.maxMw()).isZero();
        assertThat(attributes.maxAh()).isZero();
        assertErrno(Errno.EOPNOTSUPP, context::openXrcDomain);
        ProtectionDomain domain = opened.later(context.allocateProtectionDomain());
        assertErrno(Errno.EOPNOTSUPP, () -> domain.allocateMemoryWindow(MemoryWindowType.TYPE_2));
        CompletionQueue completions = opened.later(context.createCompletionQueue(8, null));
        QueuePairCapacity capacity = new QueuePairCapacity(1, 1, 1, 1, 0);
        for (QueuePairType type : new QueuePairType[] {QueuePairType.UD, QueuePairType.UC}) {
            assertErrno(
                    Errno.EOPNOTSUPP,
                    () -> domain.createQueuePair(
                            type, completions, completions, null, capacity, PostingInterface.CLASSIC));
        }
    }

    @Test
    void aConnectionHasNoAlternatePath() {
        Connection made = connected(host());
        DeviceContext context = opened.later(device.open());
        assertThat(context.queryDevice().capabilities()).doesNotContain(DeviceCapability.AUTO_PATH_MIG);
        Gid gid = context.queryGidTable().getFirst().gid();
        AlternatePath path = AlternatePath.of(AddressHandleAttributes.of(GlobalRoute.to(gid, 0), 1), 18);
        QueuePairAttributes rearm = QueuePairAttributes.change().pathMigState(PathMigrationState.REARM);
        assertErrno(Errno.EINVAL, () -> made.clientEnd().pair.modify(rearm.alternatePath(path)));
        exchange(made.clientEnd(), made.serverEnd());
    }

    private static void assertErrno(int errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }
}
