package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.testing.RoutablePath;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.CompletionTimestamp;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.DeviceCapability;
import io.rdma.types.Errno;
import io.rdma.types.GidTableEntry;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.PortAttributes;
import io.rdma.types.PortCapability;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.RemoteMemory;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Contract of the cases that rdma-core's own tests cover and the other contracts do not, the same on every device.
 * docs/internals/conformance.md lists the test of each case.
 */
abstract class ConformanceContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ROUNDS = 100;
    private static final int QKEY = 0x1111_1111;
    private static final int PORT = 1;

    private DeviceContext context;
    private ProtectionDomain domain;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        context = TestDevice.assumedInfiniBand(device()).open();
        domain = context.allocateProtectionDomain();
    }

    @AfterEach
    void close() {
        if (context != null) {
            domain.close();
            context.close();
        }
    }

    @Test
    void eachGidOfTheTableIsFoundByItsIndex() {
        assertThat(context.queryGidTable())
                .isNotEmpty()
                .allSatisfy(entry -> assertThat(context.queryGid(entry.port(), entry.index()))
                        .isEqualTo(entry));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 77})
    void aPortThatIsNotThereHasNoGid(int port) {
        Assumptions.assumeTrue(port == 0 || port > context.queryDevice().physPortCnt());
        assertRefused(() -> context.queryGid(port, 0), Errno.EINVAL);
    }

    @Test
    void aPlaceBehindTheTableHasNoGid() {
        assertRefused(() -> context.queryGid(PORT, context.queryPort(PORT).gidTableLength()), Errno.EINVAL);
        assertRefused(() -> context.queryGid(PORT, 1 << 20), Errno.EINVAL);
    }

    private static void assertRefused(ThrowingCallable call, int errno) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        VerbsException.class, e -> assertThat(e.errno()).isEqualTo(errno));
    }

    @Test
    void capabilitiesAreThoseOfTheMasks() {
        DeviceAttributes attributes = context.queryDevice();
        assertThat(attributes.capabilities().contains(DeviceCapability.MEM_WINDOW))
                .isEqualTo(attributes.hasMemoryWindows());
        assertThat(attributes.capabilities()).contains(DeviceCapability.MEM_MGT_EXTENSIONS);
        long known = Arrays.stream(DeviceCapability.values())
                .mapToLong(DeviceCapability::code)
                .reduce(0, (a, b) -> a | b);
        assertThat(attributes.capabilities().stream()
                        .mapToLong(DeviceCapability::code)
                        .sum())
                .isEqualTo(Integer.toUnsignedLong(attributes.deviceCapFlags()) & known);
        PortAttributes port = context.queryPort(PORT);
        assertThat(port.capabilities()).contains(PortCapability.CM_SUP).doesNotContain(PortCapability.SM);
        assertThat(port.lmc()).as("Ethernet has no LIDs").isZero();
        assertThat(port.smSl()).isZero();
    }

    @Test
    void theDeviceNamesItself() {
        DeviceAttributes attributes = context.queryDevice();
        assertThat(attributes.vendorId()).isNotZero();
        assertThat(attributes.nodeGuid()).isNotZero();
        assertThat(attributes.sysImageGuid()).isNotZero();
    }

    @Test
    void datagramsWakeTheChannelRoundAfterRound() {
        GidTableEntry gid = RoutablePath.gid(context);
        try (CompletionChannel channel = context.createCompletionChannel();
                CompletionQueue sent = context.createCompletionQueue(4, null);
                CompletionQueue received = context.createCompletionQueue(4, channel);
                MemoryRegion memory = domain.allocate(256, EnumSet.of(AccessFlag.LOCAL_WRITE));
                QueuePair from = datagrams(sent);
                QueuePair to = datagrams(received);
                AddressHandle path = domain.createAddressHandle(
                        AddressHandleAttributes.of(GlobalRoute.to(gid.gid(), gid.index()), PORT))) {
            ReceiveChain receive = new ReceiveChain(1, 1);
            SendChain send = new SendChain(1, 1);
            for (int i = 0; i < ROUNDS; i++) {
                received.requestNotify();
                receive.clear();
                receive.add(i).entry(memory.segment().address(), 128, memory.lkey());
                assertThat(to.post(receive)).isZero();
                send.clear();
                send.add(i, WorkRequestOpcode.SEND)
                        .destination(path, to.number(), QKEY)
                        .signaled()
                        .entry(memory.segment().address() + 128, 8, memory.lkey());
                assertThat(from.post(send)).isZero();
                assertThat(channel.await((int) PATIENCE.toMillis()))
                        .as("round %d", i)
                        .isTrue();
                channel.takeEvent();
                received.acknowledge(1);
                expect(received, i);
                expect(sent, i);
            }
            assertThat(channel.await(0)).isFalse();
        }
    }

    private QueuePair datagrams(CompletionQueue queue) {
        QueuePair pair = domain.createQueuePair(QueuePairType.UD, queue, queue, new QueuePairCapacity(1, 1, 1, 1, 0));
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(PORT)
                .qkey(QKEY));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(1));
        return pair;
    }

    private static void expect(CompletionQueue queue, long wrId) {
        CompletionBatch batch = new CompletionBatch(1);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (queue.poll(batch) == 0) {
            assertThat(System.nanoTime()).as("a completion in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        assertThat(WorkCompletionStatus.of(batch.status(0))).isEqualTo(WorkCompletionStatus.SUCCESS);
        assertThat(batch.wrId(0)).isEqualTo(wrId);
    }

    /** {@code ibv_destroy_cq(3)} waits for the acknowledgement of each event that was taken. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aQueueIsClosedWhileItIsArmedOrHasTold(boolean notified) {
        try (Pair pair = new Pair(device(), EnumSet.of(AccessFlag.LOCAL_WRITE)).connect()) {
            CompletionQueue armed = pair.context.createCompletionQueue(4, pair.channel);
            QueuePair one = pair.domain.createQueuePair(armed, armed, new QueuePairCapacity(2, 2, 1, 1, 0));
            Pair.init(one, Set.of());
            pair.receive(one, pair.memoryB, 1, 8);
            armed.requestNotify();
            if (notified) {
                one.moveToError(); // flushes the receive
                boolean woken = pair.channel.await((int) PATIENCE.toMillis());
                assertThat(woken).isTrue();
                pair.channel.takeEvent();
                armed.acknowledge(1);
                armed.requestNotify();
            }
            one.close();
            armed.close();
            assertThat(armed.isClosed()).isTrue();
        }
    }

    @Test
    void aWindowIsBoundAndInvalidatedByTheExtendedInterface() {
        Assumptions.assumeTrue(
                context.queryDevice().hasMemoryWindowsOfType2(), "this device has no memory windows of type 2");
        try (Pair pair = new Pair(device(), EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
                CompletionQueue queue = extendedQueue(pair);
                QueuePair own = extendedPair(pair, queue);
                MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2)) {
            Pair.init(pair.a, Pair.REMOTE);
            Pair.init(own, Pair.REMOTE);
            pair.a.modify(pair.toReadyToReceive(own, 0x10));
            own.modify(pair.toReadyToReceive(pair.a, 0x20));
            pair.a.modify(Pair.toReadyToSend(0x20));
            own.modify(Pair.toReadyToSend(0x10));
            pair.request(1, WorkRequestOpcode.BIND_MW)
                    .bind(window, new MemoryWindowBinding(pair.memoryB, 0, 64, Set.of(AccessFlag.REMOTE_WRITE)));
            pair.post(own);
            pair.succeeds(queue, 1);
            RemoteMemory opened = window.remote();
            pair.request(2, WorkRequestOpcode.RDMA_WRITE).remote(opened.address(), opened.rkey());
            pair.fromA(64);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 2);
            pair.assertSame(64);
            pair.request(3, WorkRequestOpcode.LOCAL_INV).invalidate(opened.rkey());
            pair.post(own);
            pair.succeeds(queue, 3);
            window.revoked();
            pair.request(4, WorkRequestOpcode.RDMA_WRITE).remote(opened.address(), opened.rkey());
            pair.fromA(8);
            pair.post(pair.a);
            pair.expect(pair.queueA, 4, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    private static CompletionQueue extendedQueue(Pair pair) {
        return pair.context.createCompletionQueue(8, null, PostingInterface.EXTENDED, CompletionTimestamp.NONE);
    }

    private static QueuePair extendedPair(Pair pair, CompletionQueue queue) {
        return pair.domain.createQueuePair(
                QueuePairType.RC, queue, queue, null, new QueuePairCapacity(4, 1, 1, 1, 0), PostingInterface.EXTENDED);
    }
}
