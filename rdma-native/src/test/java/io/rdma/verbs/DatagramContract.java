package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.Errno;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairState;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Contract of datagrams on every device: address handles, keys, the route in front, multicast. */
abstract class DatagramContract {
    static final int QKEY = 0x1111_1111;
    static final int MULTICAST_QPN = 0xffffff;
    private static final int ROUTE = GlobalRoutingHeader.BYTES;

    private final List<AutoCloseable> opened = new ArrayList<>();
    DeviceContext context;
    private ProtectionDomain domain;
    private GidTableEntry gid;
    private int mtu;
    TransportSide a;
    TransportSide b;

    abstract String device();

    /** Returns the interface by which the queue pairs are posted to and the completion queues polled. */
    PostingInterface way() {
        return PostingInterface.CLASSIC;
    }

    /** Returns the state after a send error of the queue pair's own: IB specification volume 1, 10.3.1. */
    QueuePairState afterSendError() {
        return QueuePairState.SQE;
    }

    @BeforeEach
    void open() {
        context = TestDevice.assumedInfiniBand(device()).open();
        domain = context.allocateProtectionDomain();
        gid = RoutablePath.gid(context);
        mtu = context.queryPort(1).activeMtu().bytes();
        a = side(1);
        b = side(2);
    }

    @AfterEach
    void close() throws Exception {
        if (context != null) {
            for (AutoCloseable each : opened.reversed()) {
                each.close();
            }
            domain.close();
            context.close();
        }
    }

    private <T extends AutoCloseable> T toClose(T object) {
        opened.add(object);
        return object;
    }

    TransportSide side(long seed) {
        TransportSide side = toClose(new TransportSide(context, domain, QueuePairType.UD, way(), seed));
        side.pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(1)
                .qkey(QKEY));
        side.pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        side.pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(0xffffff));
        return side;
    }

    private AddressHandle here() {
        return to(gid.gid());
    }

    AddressHandle to(Gid target) {
        return toClose(domain.createAddressHandle(AddressHandleAttributes.of(GlobalRoute.to(target, gid.index()), 1)));
    }

    private SendChain send(long wrId, WorkRequestOpcode opcode, int length) {
        return a.request(wrId, opcode, 0, length).destination(here(), b.pair.number(), QKEY);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 1024})
    void aDatagramComesWithItsRouteInFront(int length) {
        b.receive(9, 0, ROUTE + length);
        send(1, WorkRequestOpcode.SEND, length);
        a.post();
        a.expect(1, WorkCompletionStatus.SUCCESS);
        CompletionBatch batch = b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(batch.byteLength(0)).isEqualTo(ROUTE + length);
        assertThat(batch.sourceQueuePair(0)).isEqualTo(a.pair.number());
        assertThat(batch.hasImmediate(0)).isFalse();
        assertThat(batch.hasGlobalRoute(0)).isTrue();
        assertThat(batch.sourceLid(0)).isZero();
        assertThat(batch.serviceLevel(0)).isZero();
        GlobalRoutingHeader route = GlobalRoutingHeader.read(b.bytes(0, ROUTE));
        assertThat(route.sgid()).isEqualTo(gid.gid());
        assertThat(route.dgid()).isEqualTo(gid.gid());
        assertThat(b.bytes(ROUTE, length).mismatch(a.bytes(0, length))).isEqualTo(-1);
    }

    @Test
    void aQueuePairLeavesSqe() {
        assumeThat(afterSendError())
                .as("the state after a send error on this device")
                .isEqualTo(QueuePairState.SQE);
        a.request(1, WorkRequestOpcode.SEND, TransportSide.SIZE, 64) // behind the region
                .destination(here(), b.pair.number(), QKEY);
        send(2, WorkRequestOpcode.SEND, 8);
        a.post();
        a.expect(1, WorkCompletionStatus.LOC_PROT_ERR);
        a.expect(2, WorkCompletionStatus.WR_FLUSH_ERR);
        assertThat(a.pair.queryState()).isEqualTo(QueuePairState.SQE);
        a.pair.modify(QueuePairAttributes.toState(QueuePairState.RTS));
        b.receive(9, 0, ROUTE + 8);
        send(3, WorkRequestOpcode.SEND, 8);
        a.post();
        a.expect(3, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.bytes(ROUTE, 8).mismatch(a.bytes(0, 8))).isEqualTo(-1);
    }

    @Test
    void theEndOfALimitFreesWhatWaits() {
        int lowest = a.assumeLimited();
        a.pair.limitRate(lowest, mtu + 512, 0);
        for (int i = 0; i < 3; i++) {
            send(i, WorkRequestOpcode.SEND, mtu);
        }
        a.post();
        a.expect(0, WorkCompletionStatus.SUCCESS);
        a.pair.query(); // by now the device has sent what it may
        assertThat(a.queue.poll(a.completion)).as("at the lowest rate").isZero();
        a.pair.limitRate(0, 0, 0);
        a.expect(1, WorkCompletionStatus.SUCCESS);
        a.expect(2, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void immediateDataAndInlineDataArrive() {
        b.receive(9, 0, 100);
        send(1, WorkRequestOpcode.SEND_WITH_IMM, 32).immediate(0x01020304).inline();
        a.post();
        CompletionBatch batch = b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(batch.hasImmediate(0)).isTrue();
        assertThat(batch.immediate(0)).isEqualTo(0x01020304);
        assertThat(b.bytes(ROUTE, 32).mismatch(a.bytes(0, 32))).isEqualTo(-1);
        a.expect(1, WorkCompletionStatus.SUCCESS);
    }

    @Test
    void theSenderCanBeAnswered() {
        b.receive(9, 0, 200);
        a.receive(10, 1000, 200);
        send(1, WorkRequestOpcode.SEND, 8);
        a.post();
        a.expect(1, WorkCompletionStatus.SUCCESS);
        CompletionBatch batch = b.expect(9, WorkCompletionStatus.SUCCESS);
        AddressHandleAttributes back = context.addressOfSender(1, batch, 0, b.bytes(0, ROUTE));
        GlobalRoute route = java.util.Objects.requireNonNull(back.route());
        assertThat(route.dgid()).isEqualTo(gid.gid());
        assertThat(context.queryGidTable())
                .anyMatch(e -> e.index() == route.sgidIndex() && e.gid().equals(gid.gid()));
        AddressHandle handle = toClose(domain.createAddressHandle(back));
        b.request(2, WorkRequestOpcode.SEND, 500, 33).destination(handle, batch.sourceQueuePair(0), QKEY);
        b.post();
        b.expect(2, WorkCompletionStatus.SUCCESS);
        a.expect(10, WorkCompletionStatus.SUCCESS);
        assertThat(a.completion.sourceQueuePair(0)).isEqualTo(b.pair.number());
        assertThat(a.bytes(1000 + ROUTE, 33).mismatch(b.bytes(500, 33))).isEqualTo(-1);
    }

    @Test
    void aWrongKeyIsDroppedAndCounted() {
        int before = context.queryPort(1).qkeyViolationCounter();
        b.receive(9, 0, 200);
        a.request(1, WorkRequestOpcode.SEND, 0, 8).destination(here(), b.pair.number(), QKEY + 1);
        a.post();
        a.expect(1, WorkCompletionStatus.SUCCESS);
        send(2, WorkRequestOpcode.SEND, 16);
        a.post();
        a.expect(2, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.byteLength(0)).isEqualTo(ROUTE + 16); // the second datagram
        assertThat(context.queryPort(1).qkeyViolationCounter()).isEqualTo(before + 1);
    }

    @Test
    void withoutAReceiveADatagramIsDroppedAndTheSenderGoesOn() {
        b.receive(9, 0, 200);
        for (int i = 0; i < 5; i++) {
            send(i, WorkRequestOpcode.SEND, 8 + i);
            a.post();
            a.expect(i, WorkCompletionStatus.SUCCESS);
        }
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.byteLength(0)).isEqualTo(ROUTE + 8);
        b.receive(10, 0, 200);
        send(6, WorkRequestOpcode.SEND, 100);
        a.post();
        a.expect(6, WorkCompletionStatus.SUCCESS);
        b.expect(10, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.byteLength(0)).isEqualTo(ROUTE + 100);
        assertThat(b.queue.poll(b.completion)).isZero();
    }

    @Test
    void aDatagramLargerThanTheMtuIsRefusedBeforeThePost() {
        b.receive(9, 0, ROUTE + mtu);
        send(1, WorkRequestOpcode.SEND, mtu + 1);
        assertThatThrownBy(() -> a.pair.post(a.sends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining((mtu + 1) + " bytes")
                .hasMessageContaining("MTU, " + mtu);
        a.sends.clear();
        send(2, WorkRequestOpcode.SEND, mtu);
        a.post();
        a.expect(2, WorkCompletionStatus.SUCCESS);
        b.expect(9, WorkCompletionStatus.SUCCESS);
        assertThat(b.completion.byteLength(0)).isEqualTo(ROUTE + mtu);
    }

    @ParameterizedTest
    @EnumSource(
            value = WorkRequestOpcode.class,
            names = {"SEND", "SEND_WITH_IMM"},
            mode = EnumSource.Mode.EXCLUDE)
    void anUnsupportedOperationIsRefusedBeforeThePost(WorkRequestOpcode opcode) {
        send(1, opcode, 8);
        assertThatThrownBy(() -> a.pair.post(a.sends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("UD has no " + opcode)
                .hasMessageContaining("RC");
    }

    @Test
    void aDatagramWithoutADestinationIsRefused() {
        send(1, WorkRequestOpcode.SEND, 8);
        a.request(2, WorkRequestOpcode.SEND, 0, 8);
        assertThatThrownBy(() -> a.pair.post(a.sends))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("destination");
    }

    @Test
    void roceNeedsAGlobalRoute() {
        AddressHandleAttributes local = AddressHandleAttributes.of(7, 1);
        assertThatThrownBy(() -> domain.createAddressHandle(local))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void aHandleKeepsItsDomainOpen() {
        AddressHandle handle = here();
        assertThat(handle.attributes().port()).isEqualTo(1);
        ProtectionDomain other = toClose(context.allocateProtectionDomain());
        AddressHandle of =
                other.createAddressHandle(AddressHandleAttributes.of(GlobalRoute.to(gid.gid(), gid.index()), 1));
        assertThatThrownBy(other::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
        of.close();
        of.close();
        assertThatThrownBy(() -> a.sends.add(1, WorkRequestOpcode.SEND).destination(of, 1, 1))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aQueuePairNeedsAKeyAndTakesNoAccessFlags() {
        TransportSide side = toClose(new TransportSide(context, domain, QueuePairType.UD, way(), 3));
        assertThatThrownBy(() -> side.pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                        .pkeyIndex(0)
                        .port(1)))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThatThrownBy(() -> side.pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                        .pkeyIndex(0)
                        .port(1)
                        .qkey(1)
                        .access(java.util.Set.of())))
                .isInstanceOf(VerbsException.class);
        a.pair.modify(QueuePairAttributes.change().qkey(QKEY + 5));
        a.receive(9, 0, 200);
        b.request(1, WorkRequestOpcode.SEND, 0, 8).destination(here(), a.pair.number(), QKEY + 5);
        b.post();
        b.expect(1, WorkCompletionStatus.SUCCESS);
        a.expect(9, WorkCompletionStatus.SUCCESS);
    }

    static Gid group(int last) {
        try {
            return Gid.of(InetAddress.getByAddress(new byte[] {(byte) 239, 77, 77, (byte) last}));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aQueuePairIsInAGroupBetweenAttachAndDetach() {
        assertThatThrownBy(() -> a.pair.attachMulticast(gid.gid(), 0))
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThatThrownBy(() -> a.pair.detachMulticast(group(1), 0)).isInstanceOf(VerbsException.class);
        a.pair.attachMulticast(group(1), 0);
        b.pair.attachMulticast(group(1), 0);
        assertThatThrownBy(a.pair::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
        a.pair.detachMulticast(group(1), 0);
        b.pair.detachMulticast(group(1), 0);
        TransportSide connected = toClose(new TransportSide(context, domain, QueuePairType.UC, way(), 3));
        assertThatThrownBy(() -> connected.pair.attachMulticast(group(1), 0)).isInstanceOf(VerbsException.class);
    }

    @Test
    void everyMemberOfAGroupGetsACopy() throws Exception {
        TransportSide sender = side(3);
        TransportSide elsewhere = side(4);
        try (AutoCloseable joined = join(group(2))) {
            assertThat(joined).isNotNull();
            a.pair.attachMulticast(group(2), 0);
            b.pair.attachMulticast(group(2), 0);
            elsewhere.pair.attachMulticast(group(3), 0);
            for (TransportSide side : List.of(a, b, elsewhere)) {
                side.receive(9, 0, 200);
            }
            sender.request(1, WorkRequestOpcode.SEND, 0, 77).destination(to(group(2)), MULTICAST_QPN, QKEY);
            sender.post();
            sender.expect(1, WorkCompletionStatus.SUCCESS);
            for (TransportSide side : List.of(a, b)) {
                CompletionBatch batch = side.expect(9, WorkCompletionStatus.SUCCESS);
                assertThat(batch.sourceQueuePair(0)).isEqualTo(sender.pair.number());
                assertThat(batch.byteLength(0)).isEqualTo(ROUTE + 77);
                MemorySegment route = side.bytes(0, ROUTE);
                assertThat(GlobalRoutingHeader.read(route).sgid()).isEqualTo(gid.gid());
                assertThatThrownBy(() -> context.addressOfSender(1, batch, 0, route))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("from which one");
                assertThat(AddressHandleAttributes.answering(batch, 0, GlobalRoutingHeader.read(route), gid.index(), 1)
                                .route())
                        .isNotNull();
                assertThat(side.bytes(ROUTE, 77).mismatch(sender.bytes(0, 77))).isEqualTo(-1);
            }
            assertThat(elsewhere.queue.poll(elsewhere.completion)).isZero();
            a.pair.detachMulticast(group(2), 0);
            b.pair.detachMulticast(group(2), 0);
            elsewhere.pair.detachMulticast(group(3), 0);
        }
    }

    /**
     * Makes the host pass the datagrams of a group to its device. Does nothing where the device receives them itself.
     */
    AutoCloseable join(Gid group) throws Exception {
        return () -> {};
    }
}
