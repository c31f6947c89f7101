package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.ForkStatus;
import io.rdma.types.HugePages;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.QueuePairState;
import io.rdma.types.RemoteMemory;
import io.rdma.types.SharedReceiveQueueAttributes;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Contract of the kinds of registration. Each kind works, or the test is skipped with the errno by which the device
 * refuses it.
 */
abstract class MemoryKindsContract {
    static final int BYTES = 8192;
    private static final int PAGE = 4096;
    private static final int EBADF = 9;

    Pair pair;

    abstract String device();

    @BeforeEach
    void open() {
        pair = new Pair(device(), Pair.REMOTE);
    }

    @AfterEach
    void close() {
        if (pair != null) {
            pair.close();
        }
    }

    private void write(RemoteMemory to, int length, WorkCompletionStatus status) {
        pair.request(1, WorkRequestOpcode.RDMA_WRITE).remote(to.address(), to.rkey());
        pair.fromA(length);
        pair.post(pair.a);
        pair.expect(pair.queueA, 1, status);
    }

    private void assertArrived(MemorySegment memory, int length) {
        assertThat(memory.asSlice(0, length).mismatch(pair.memoryA.segment().asSlice(0, length)))
                .isEqualTo(-1);
    }

    private static void assertLacks(VerbsException e) {
        assertThat(e.errno()).as(e.getMessage()).isIn(Errno.EOPNOTSUPP, Errno.ENOSYS);
    }

    /** Checks a refusal and skips the test, since the device lacks the function to be tested. */
    private static void skipFor(VerbsException refusal) {
        assertLacks(refusal);
        Assumptions.abort("this device lacks it: " + refusal.getMessage());
    }

    /** Returns the exception by which the device refuses a function; null if it does not. */
    private static VerbsException refusal(ThrowingCallable call) {
        return catchThrowableOfType(VerbsException.class, call);
    }

    private void assumeReregisters(Runnable change) {
        try {
            change.run();
        } catch (VerbsException e) {
            assertThat(e).hasMessageContaining("The region is unchanged");
            skipFor(e);
        }
    }

    @Test
    void rightsAreChangedByReregistering() {
        pair.connect();
        try (MemoryRegion region = pair.domain.allocate(BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE))) {
            assumeReregisters(
                    () -> region.reregister(ReregisterOptions.NOTHING.withAccess(Set.of(AccessFlag.REMOTE_WRITE))));
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(region.segment(), BYTES);
            region.reregister(ReregisterOptions.NOTHING.withAccess(Set.of(AccessFlag.LOCAL_WRITE)));
            write(region.remote(), 8, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void memoryIsExchangedByReregistering() {
        pair.connect();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment first = arena.allocate(BYTES, PAGE);
            MemorySegment second = arena.allocate(2 * BYTES, PAGE);
            try (MemoryRegion region = pair.domain.register(first, Set.of(AccessFlag.REMOTE_WRITE))) {
                assumeReregisters(() -> region.reregister(ReregisterOptions.NOTHING.withMemory(second)));
                assertThat(region.length()).isEqualTo(2 * BYTES);
                assertThat(region.segment()).isEqualTo(second);
                write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
                assertArrived(second, BYTES);
                write(new RemoteMemory(first.address(), 8, region.rkey()), 8, WorkCompletionStatus.REM_ACCESS_ERR);
            }
        }
    }

    /** A store of the device into a page that is mapped read-only would end the process. */
    @Test
    void readOnlyMemoryGetsNoRightsToWriteByReregistering() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(BYTES, PAGE);
            MemorySegment readOnly = arena.allocate(BYTES, PAGE).asReadOnly();
            ReregisterOptions exchange = ReregisterOptions.NOTHING.withMemory(readOnly);
            ReregisterOptions write = ReregisterOptions.NOTHING.withAccess(Set.of(AccessFlag.REMOTE_WRITE));
            try (MemoryRegion region = pair.domain.register(memory, Set.of(AccessFlag.REMOTE_WRITE))) {
                assertReadOnlyIsRefused(region, exchange);
                assertReadOnlyIsRefused(region, exchange.withAccess(Set.of(AccessFlag.LOCAL_WRITE)));
                assertThat(region.segment()).isEqualTo(memory);
            }
            try (MemoryRegion region = pair.domain.register(readOnly, Set.of())) {
                assertReadOnlyIsRefused(region, write);
                assumeReregisters(
                        () -> region.reregister(ReregisterOptions.NOTHING.withAccess(Set.of(AccessFlag.REMOTE_READ))));
                region.reregister(exchange.withAccess(Set.of()));
                region.reregister(write.withMemory(memory));
            }
        }
    }

    private static void assertReadOnlyIsRefused(MemoryRegion region, ReregisterOptions change) {
        assertThatThrownBy(() -> region.reregister(change))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
    }

    @Test
    void theDomainIsChangedByReregistering() {
        pair.connect();
        try (ProtectionDomain other = pair.context.allocateProtectionDomain();
                MemoryRegion region = pair.domain.allocate(BYTES, Set.of(AccessFlag.REMOTE_WRITE))) {
            assumeReregisters(() -> region.reregister(ReregisterOptions.NOTHING.withDomain(other)));
            assertThatThrownBy(other::close).isInstanceOf(VerbsException.class).hasMessageContaining("EBUSY");
            write(region.remote(), 8, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    @Test
    void aRegionInUseOrOwnedIsNotReregistered() {
        try (MemoryRegion region = pair.domain.allocate(BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE))) {
            region.retain();
            assertThatThrownBy(() -> region.reregister(ReregisterOptions.NOTHING.withAccess(Set.of())))
                    .isInstanceOf(IllegalStateException.class);
            region.release();
            assertThatThrownBy(() -> region.reregister(ReregisterOptions.NOTHING.withMemory(region.segment())))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aClosedRegionIsNotReregistered() {
        MemoryRegion region = pair.domain.allocate(BYTES, EnumSet.of(AccessFlag.LOCAL_WRITE));
        region.retain();
        region.close();
        assertRefusedAsClosed(region);
        region.release();
        assertRefusedAsClosed(region);
    }

    private static void assertRefusedAsClosed(MemoryRegion region) {
        for (ReregisterOptions change : List.of(
                ReregisterOptions.NOTHING.withAccess(Set.of()),
                ReregisterOptions.NOTHING.withMemory(region.segment()))) {
            assertThatThrownBy(() -> region.reregister(change))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void aZeroBasedRegionIsNamedFromZero() {
        pair.connect();
        MemoryRegion region;
        try {
            region = pair.domain.allocate(BYTES, Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.ZERO_BASED));
        } catch (VerbsException e) {
            skipFor(e);
            return;
        }
        try (region) {
            assertThat(region.remote().address()).isZero();
            assertThat(region.address()).isZero();
            pair.request(1, WorkRequestOpcode.RDMA_WRITE).remote(64, region.rkey());
            pair.fromA(64);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 1);
            assertArrived(region.segment().asSlice(64), 64);
            write(new RemoteMemory(BYTES, 8, region.rkey()), 8, WorkCompletionStatus.REM_ACCESS_ERR);
        }
    }

    private MemoryRegion zeroBased(ProtectionDomain domain, MemorySegment memory) {
        try {
            return domain.register(memory, Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.ZERO_BASED));
        } catch (VerbsException e) {
            skipFor(e);
            throw e;
        }
    }

    @Test
    void aZeroBasedRegionThatStaysKeepsItsAddresses() {
        pair.connect();
        try (Arena arena = Arena.ofShared();
                ProtectionDomain other = pair.context.allocateProtectionDomain();
                MemoryRegion region = zeroBased(other, arena.allocate(BYTES, PAGE))) {
            assumeReregisters(() -> region.reregister(ReregisterOptions.NOTHING.withDomain(pair.domain)));
            assertThat(region.address()).isZero();
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(region.segment(), BYTES);
            region.reregister(ReregisterOptions.NOTHING.withAccess(Set.of(AccessFlag.REMOTE_WRITE)));
            assertThat(region.address()).isZero();
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
        }
    }

    /** As in C: {@code ibv_rereg_mr(3)} has no other address for it. */
    @Test
    void aZeroBasedRegionThatMovesIsNamedByItsAddress() {
        pair.connect();
        try (Arena arena = Arena.ofShared();
                MemoryRegion region = zeroBased(pair.domain, arena.allocate(BYTES, PAGE))) {
            MemorySegment second = arena.allocate(BYTES, PAGE);
            assumeReregisters(() -> region.reregister(ReregisterOptions.NOTHING.withMemory(second)));
            assertThat(region.address()).isEqualTo(second.address());
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(second, BYTES);
        }
    }

    @Test
    void aRegionThatStaysIsChargedOnce() {
        RegistrationBudget budget = new RegistrationBudget(BYTES);
        MemoryPolicy policy = new MemoryPolicy(HugePages.NONE, budget, false);
        try (ProtectionDomain domain = pair.context.allocateProtectionDomain(policy)) {
            try (MemoryRegion region = domain.allocate(BYTES, Set.of(AccessFlag.LOCAL_WRITE))) {
                assumeReregisters(
                        () -> region.reregister(ReregisterOptions.NOTHING.withAccess(Set.of(AccessFlag.REMOTE_READ))));
                assertThat(budget.registered()).isEqualTo(BYTES);
            }
            assertThat(budget.registered()).isZero();
        }
    }

    @Test
    void relaxedOrderingIsAWish() {
        pair.connect();
        try (MemoryRegion region =
                pair.domain.allocate(BYTES, Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.RELAXED_ORDERING))) {
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(region.segment(), BYTES);
        }
    }

    @Test
    void aDmaBufNeedsADescriptor() {
        VerbsException refused =
                refusal(() -> pair.domain.registerDmaBuf(-1, 0, BYTES, 0, Set.of(AccessFlag.LOCAL_WRITE)));
        assertThat(refused).isNotNull();
        if (refused.errno() != EBADF) {
            skipFor(refused);
        }
    }

    @Test
    void aPeerWritesIntoADmaBuf() throws IOException {
        pair.connect();
        try (Arena arena = Arena.ofConfined();
                Udmabuf exported = Udmabuf.assumed(BYTES)) {
            MemorySegment memory = exported.map(arena);
            MemoryRegion region;
            try {
                region =
                        pair.domain.registerDmaBuf(exported.descriptor(), 0, BYTES, 0, Set.of(AccessFlag.REMOTE_WRITE));
            } catch (VerbsException e) {
                skipFor(e);
                return;
            }
            try (region) {
                write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
                assertArrived(memory, BYTES);
                write(new RemoteMemory(BYTES, 8, region.rkey()), 8, WorkCompletionStatus.REM_ACCESS_ERR);
            }
        }
    }

    @Test
    void aPeerWritesIntoDeviceMemory() {
        pair.connect();
        long most = pair.context.queryDeviceExtended().maxDmSize();
        if (most == 0) {
            VerbsException refused = refusal(() -> pair.context.allocateDeviceMemory(BYTES, 3));
            assertThat(refused).as("it says that it has none").isNotNull();
            skipFor(refused);
        }
        try (DeviceMemory memory = pair.context.allocateDeviceMemory(BYTES, 3);
                Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(BYTES, 8);
            copy.set(ValueLayout.JAVA_LONG, 0, 0x5a5a);
            memory.copyFrom(64, copy.asSlice(0, 8));
            memory.copyTo(64, copy.asSlice(8, 8));
            assertThat(copy.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(0x5a5a);
            try (MemoryRegion region = pair.domain.register(memory, 64, 4096, Set.of(AccessFlag.REMOTE_WRITE))) {
                assertThat(region.remote().address()).isZero();
                assertThatThrownBy(memory::close)
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("EBUSY");
                write(region.remote(), 4096, WorkCompletionStatus.SUCCESS);
                memory.copyTo(64, copy.asSlice(0, 4096));
                assertArrived(copy, 4096);
            }
            assertThatThrownBy(() -> memory.copyTo(BYTES - 4, copy.asSlice(0, 8)))
                    .isInstanceOf(VerbsException.class);
            assertThatThrownBy(() -> pair.domain.register(memory, 64, BYTES, Set.of()))
                    .isInstanceOf(VerbsException.class);
            assertMemoryIsChecked(memory, copy);
        }
    }

    private static void assertMemoryIsChecked(DeviceMemory memory, MemorySegment copy) {
        memory.copyFrom(0, copy.asReadOnly());
        assertThatThrownBy(() -> memory.copyTo(0, copy.asReadOnly()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("read-only");
        MemorySegment freed;
        try (Arena closed = Arena.ofConfined()) {
            freed = closed.allocate(8, 8);
        }
        assertThatThrownBy(() -> memory.copyFrom(0, freed)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> memory.copyTo(0, freed)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aParentDomainStandsForItsDomain() {
        pair.connect();
        ProtectionDomain parent;
        try {
            parent = pair.domain.allocateParentDomain();
        } catch (VerbsException e) {
            skipFor(e);
            return;
        }
        try (parent;
                MemoryRegion region = parent.allocate(BYTES, Set.of(AccessFlag.REMOTE_WRITE))) {
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertThatThrownBy(pair.domain::close).isInstanceOf(VerbsException.class);
            assertSharedReceivesOf(pair.domain, parent);
            assertSharedReceivesOf(parent, pair.domain);
            try (ProtectionDomain other = pair.context.allocateProtectionDomain()) {
                assertThatThrownBy(() -> assertSharedReceivesOf(other, parent))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("another protection domain: create it in the queue pair's domain");
            }
        }
    }

    /** Checks that a queue pair of one domain takes receives from a shared queue of another. */
    private void assertSharedReceivesOf(ProtectionDomain queues, ProtectionDomain pairs) {
        try (SharedReceiveQueue shared =
                        queues.createSharedReceiveQueue(new SharedReceiveQueueAttributes(Pair.DEPTH, 1, 0));
                QueuePair taker = pairs.createQueuePair(
                        pair.queueB, pair.queueB, shared, new QueuePairCapacity(Pair.DEPTH, Pair.DEPTH, 2, 1, 32))) {
            assertThat(taker.queryState()).isEqualTo(QueuePairState.RESET);
        }
    }

    @Test
    void aRegistrationNeedsLocalWriteForRemoteWrites() {
        for (AccessFlag flag : Set.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)) {
            try (MemoryRegion region = pair.domain.allocate(64, Set.of(flag))) { // the library adds LOCAL_WRITE
                assertThatThrownBy(() -> pair.domain.verbs.regMr(
                                pair.domain.handle(), region.address(), 64, region.address(), flag.code()))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("EINVAL");
            }
        }
    }

    @Test
    void aDomainIsClosedOnce() {
        ProtectionDomain domain = pair.context.allocateProtectionDomain();
        domain.close();
        assertThatCode(domain::close).doesNotThrowAnyException();
        assertThatThrownBy(() -> domain.allocate(64, Set.of())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatTheDeviceDoesNotHaveIsNoPortAndNoPartition() {
        assertThatThrownBy(() -> pair.context.queryPort(77)).isInstanceOf(VerbsException.class);
        assertThatThrownBy(() -> pair.context.queryPkey(1, 30_000)).isInstanceOf(VerbsException.class);
    }

    @Test
    void forkingIsPreparedOrTooLateOrUnneeded() {
        try {
            ForkSupport.initialize();
            assertThat(ForkSupport.status()).isIn(ForkStatus.ENABLED, ForkStatus.UNNEEDED);
        } catch (VerbsException e) {
            if (e.errno() != Errno.EINVAL) { // there is no libibverbs
                skipFor(e);
            }
            assertThat(ForkSupport.status()).isIn(ForkStatus.DISABLED, ForkStatus.UNNEEDED);
        }
    }
}
