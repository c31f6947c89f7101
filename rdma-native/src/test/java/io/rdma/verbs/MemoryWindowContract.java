package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.types.AccessFlag;
import io.rdma.types.DeviceAttributes;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.QueuePairState;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Contract of memory windows and invalidation. The first queue pair uses the windows that the second one binds. */
abstract class MemoryWindowContract {
    private static final int BYTES = 4096;

    private Pair pair;
    private MemoryWindow window;

    abstract String device();

    /**
     * Returns the status of a local invalidation of a key that belongs to no window: IB specification volume 1, 11.6.2,
     * memory management operation error.
     */
    WorkCompletionStatus badLocalInvalidation() {
        return WorkCompletionStatus.MW_BIND_ERR;
    }

    /** Returns the status of a binding that the region's rights do not allow: IB specification volume 1, 11.6.2. */
    WorkCompletionStatus badBinding() {
        return WorkCompletionStatus.MW_BIND_ERR;
    }

    /** Returns whether a window ends where its part ends, and not where its region ends. */
    boolean bounds() {
        return true;
    }

    /** Returns whether the completion of the receive reports the invalidation by a send. */
    boolean tellsInvalidation() {
        return true;
    }

    @BeforeEach
    void open() {
        pair = new Pair(device(), EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
        pair.connect();
    }

    @AfterEach
    void close() {
        if (window != null) {
            window.close();
        }
        if (pair != null) {
            pair.close();
        }
    }

    private void allocate(MemoryWindowType type) {
        DeviceAttributes attributes = pair.context.queryDevice();
        Assumptions.assumeTrue(
                type == MemoryWindowType.TYPE_1 ? attributes.hasMemoryWindows() : attributes.hasMemoryWindowsOfType2(),
                () -> device() + " has no memory windows of " + type);
        window = pair.domain.allocateMemoryWindow(type);
    }

    private void bind(long offset, long length, AccessFlag... access) {
        MemoryWindowBinding binding = new MemoryWindowBinding(pair.memoryB, offset, length, Set.of(access));
        if (window.type() == MemoryWindowType.TYPE_1) {
            pair.b.bind(90, window, binding);
        } else {
            pair.request(90, WorkRequestOpcode.BIND_MW).bind(window, binding);
            pair.post(pair.b);
        }
        pair.succeeds(pair.queueB, 90);
    }

    private void write(RemoteMemory to, int length, WorkCompletionStatus status) {
        pair.request(1, WorkRequestOpcode.RDMA_WRITE).remote(to.address(), to.rkey());
        pair.fromA(length);
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, status);
    }

    private void invalidateLocally(int rkey) {
        pair.request(91, WorkRequestOpcode.LOCAL_INV).invalidate(rkey);
        pair.post(pair.b);
    }

    @ParameterizedTest
    @EnumSource
    void aPeerWritesThroughAWindowAndOnlyThroughIt(MemoryWindowType type) {
        allocate(type);
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        assertThat(window.remote().length()).isEqualTo(BYTES);
        write(window.remote(), BYTES, WorkCompletionStatus.SUCCESS);
        pair.assertSame(BYTES);
        write(pair.memoryB.remote(), 8, WorkCompletionStatus.REM_ACCESS_ERR);
    }

    @ParameterizedTest
    @EnumSource
    void aWindowEndsWhereItsPartEnds(MemoryWindowType type) {
        Assumptions.assumeTrue(bounds(), "this device does not look at the bounds of a window, only at its region's");
        allocate(type);
        bind(64, BYTES, AccessFlag.REMOTE_WRITE);
        write(
                new RemoteMemory(
                        window.remote().address(), BYTES + 1, window.remote().rkey()),
                BYTES + 1,
                access());
    }

    private static WorkCompletionStatus access() {
        return WorkCompletionStatus.REM_ACCESS_ERR;
    }

    @ParameterizedTest
    @EnumSource
    void aWindowGivesTheRightsOfItsBindingOnly(MemoryWindowType type) {
        allocate(type);
        bind(0, BYTES, AccessFlag.REMOTE_READ);
        pair.memoryB.segment().set(ValueLayout.JAVA_BYTE, 7, (byte) 0x5a);
        pair.request(2, WorkRequestOpcode.RDMA_READ)
                .remote(window.remote().address(), window.remote().rkey());
        pair.fromA(8);
        pair.post(pair.a);
        pair.succeeds(pair.queueA, 2);
        assertThat(pair.memoryA.segment().get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) 0x5a);
        write(window.remote(), 8, access());
    }

    @Test
    void anEmptyBindingRevokesAWindowOfType1() {
        allocate(MemoryWindowType.TYPE_1);
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        RemoteMemory before = window.remote();
        write(before, 8, WorkCompletionStatus.SUCCESS);
        pair.b.bind(92, window, MemoryWindowBinding.empty(pair.memoryB));
        pair.succeeds(pair.queueB, 92);
        window.revoked();
        write(before, 8, access());
    }

    @Test
    void bindingAgainRevokesTheKeyOfType1() {
        allocate(MemoryWindowType.TYPE_1);
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        RemoteMemory before = window.remote();
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        assertThat(window.remote().rkey()).isNotEqualTo(before.rkey());
        write(window.remote(), 8, WorkCompletionStatus.SUCCESS);
        write(before, 8, access());
    }

    @Test
    void aLocalInvalidationRevokesAWindowOfType2WhichCanBeBoundAgain() {
        allocate(MemoryWindowType.TYPE_2);
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        RemoteMemory before = window.remote();
        invalidateLocally(before.rkey());
        pair.succeeds(pair.queueB, 91);
        window.revoked();
        bind(64, 64, AccessFlag.REMOTE_WRITE);
        write(window.remote(), 64, WorkCompletionStatus.SUCCESS);
        write(before, 8, access());
    }

    @Test
    void aPeersSendWithInvalidateRevokesAWindowOfType2() {
        allocate(MemoryWindowType.TYPE_2);
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        RemoteMemory before = window.remote();
        for (int length : new int[] {64, BYTES * 2}) { // one packet, and several
            pair.receive(pair.b, pair.memoryB, 7, Pair.SIZE);
            pair.request(3, WorkRequestOpcode.SEND_WITH_INV)
                    .invalidate(window.remote().rkey());
            pair.fromA(length);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 3);
            pair.succeeds(pair.queueB, 7);
            assertThat(pair.completion.byteLength(0)).isEqualTo(length);
            assertThat(pair.completion.hasInvalidatedKey(0)).isEqualTo(tellsInvalidation());
            assertThat(pair.completion.hasImmediate(0)).isFalse();
            assertThat(pair.completion.invalidatedKey(0))
                    .isEqualTo(window.remote().rkey());
            pair.assertSame(length);
            window.revoked();
            bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        }
        write(before, 8, access());
    }

    @Test
    void anInlineSendWithInvalidateRevokesToo() {
        allocate(MemoryWindowType.TYPE_2);
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        pair.receive(pair.b, pair.memoryB, 7, 64);
        pair.request(3, WorkRequestOpcode.SEND_WITH_INV)
                .invalidate(window.remote().rkey())
                .inline();
        pair.fromA(16);
        pair.post(pair.a);
        pair.succeeds(pair.queueB, 7);
        assertThat(pair.completion.invalidatedKey(0)).isEqualTo(window.remote().rkey());
        pair.succeeds(pair.queueA, 3);
        pair.assertSame(16);
    }

    @ParameterizedTest
    @EnumSource
    void closingAWindowRevokesIt(MemoryWindowType type) {
        allocate(type);
        bind(0, BYTES, AccessFlag.REMOTE_WRITE);
        RemoteMemory before = window.remote();
        window.close();
        write(before, 8, access());
    }

    @Test
    void aWindowOfType2IsForItsQueuePairOnly() {
        allocate(MemoryWindowType.TYPE_2);
        pair.request(90, WorkRequestOpcode.BIND_MW)
                .bind(window, new MemoryWindowBinding(pair.memoryB, 0, BYTES, Set.of(AccessFlag.REMOTE_WRITE)));
        pair.post(pair.a); // bound on a, so only the peer of a could use it
        pair.succeeds(pair.queueA, 90);
        write(window.remote(), 8, access());
    }

    @Test
    void aRegionWithoutTheRightCannotBeBound() {
        allocate(MemoryWindowType.TYPE_2);
        pair.request(90, WorkRequestOpcode.BIND_MW)
                .bind(window, new MemoryWindowBinding(pair.memoryA, 0, 64, Set.of(AccessFlag.REMOTE_WRITE)));
        pair.post(pair.b);
        pair.expect(pair.queueB, 90, badBinding());
        assertThat(pair.b.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void aRegionsKeyCannotBeInvalidatedLocally() {
        Assumptions.assumeTrue(pair.context.queryDevice().hasInvalidation(), "this device has no invalidation");
        invalidateLocally(pair.memoryB.rkey());
        pair.expect(pair.queueB, 91, badLocalInvalidation());
    }

    @Test
    void aRegionsKeyCannotBeInvalidatedByThePeer() {
        Assumptions.assumeTrue(pair.context.queryDevice().hasInvalidation(), "this device has no invalidation");
        pair.receive(pair.b, pair.memoryB, 7, 64);
        pair.request(3, WorkRequestOpcode.SEND_WITH_INV).invalidate(pair.memoryB.rkey());
        pair.fromA(8);
        pair.post(pair.a);
        pair.expect(pair.queueB, 7, WorkCompletionStatus.REM_INV_REQ_ERR);
        assertThat(pair.b.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void aSendBehindABindingCarriesItsKey() {
        allocate(MemoryWindowType.TYPE_2);
        pair.receive(pair.a, pair.memoryA, 8, 64);
        pair.sends
                .add(90, WorkRequestOpcode.BIND_MW)
                .bind(window, new MemoryWindowBinding(pair.memoryB, 0, BYTES, Set.of(AccessFlag.REMOTE_WRITE)));
        window.remote().encode(pair.memoryB.segment());
        pair.request(93, WorkRequestOpcode.SEND)
                .entry(pair.memoryB.segment().address(), RemoteMemory.ENCODED_BYTES, pair.memoryB.lkey());
        pair.post(pair.b);
        pair.succeeds(pair.queueA, 8);
        pair.succeeds(pair.queueB, 93);
        write(RemoteMemory.decode(pair.memoryA.segment()), 64, WorkCompletionStatus.SUCCESS);
        pair.assertSame(64);
    }

    @Test
    void aRegionStaysWhileAWindowMayBeBoundToIt() {
        allocate(MemoryWindowType.TYPE_2);
        MemoryRegion region = pair.domain.allocate(BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
        pair.request(90, WorkRequestOpcode.BIND_MW)
                .bind(window, new MemoryWindowBinding(region, 0, BYTES, Set.of(AccessFlag.REMOTE_WRITE)));
        pair.post(pair.b);
        pair.succeeds(pair.queueB, 90);
        region.close();
        write(window.remote(), BYTES, WorkCompletionStatus.SUCCESS);
        assertThat(region.segment().scope().isAlive()).isTrue();
        window.close();
        assertThat(region.segment().scope().isAlive()).isFalse();
        assertThatThrownBy(() -> new MemoryWindowBinding(region, 1, BYTES, Set.of()))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void eachTypeIsBoundInItsOwnWay() {
        allocate(MemoryWindowType.TYPE_1);
        MemoryWindowBinding binding = new MemoryWindowBinding(pair.memoryB, 0, 8, Set.of());
        assertThatThrownBy(() -> pair.sends.add(1, WorkRequestOpcode.BIND_MW).bind(window, binding))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("QueuePair.bind");
        window.close();
        allocate(MemoryWindowType.TYPE_2);
        assertThatThrownBy(() -> pair.b.bind(1, window, binding))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("SendChain.bind");
    }
}
