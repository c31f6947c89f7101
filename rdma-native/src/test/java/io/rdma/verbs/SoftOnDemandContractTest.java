package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma.internal.ffi.MemoryVerbs;
import io.rdma.soft.SoftNetwork;
import io.rdma.types.AccessFlag;
import io.rdma.types.Errno;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.MemoryAdvice;
import io.rdma.types.MemoryWindowType;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Contract of on-demand paging for a software device, and the faults that it counts. */
class SoftOnDemandContractTest extends OnDemandContract {
    private final SoftNetwork network = SoftNetwork.create();

    @Override
    String device() {
        return network.device();
    }

    @AfterEach
    void forget() {
        network.close();
    }

    private long faults() {
        return network.counters().get("page_faults");
    }

    /** A device without it would skip the contract. */
    @Test
    void itHasPagingOnDemand() {
        var attributes = pair.context.queryDeviceExtended();
        assertThat(attributes.onDemand()).isTrue();
        assertThat(attributes.implicitOnDemand()).isTrue();
        assertThat(attributes.rcOnDemand()).containsExactlyInAnyOrder(OnDemandOperation.values());
        assertThat(attributes.xrcOnDemand()).isEqualTo(attributes.rcOnDemand());
        assertThat(attributes.udOnDemand())
                .containsExactlyInAnyOrder(OnDemandOperation.SEND, OnDemandOperation.RECV, OnDemandOperation.SRQ_RECV);
    }

    @Test
    void onlyTheFirstAccessToAPageIsAFault() {
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            long first = faults();
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertThat(first).isPositive();
            assertThat(faults()).isEqualTo(first);
        }
    }

    @Test
    void pinnedMemoryHasNoFaults() {
        write(pair.memoryB.remote(), BYTES, WorkCompletionStatus.SUCCESS);
        network.evictPages();
        write(pair.memoryB.remote(), BYTES, WorkCompletionStatus.SUCCESS);
        assertThat(faults()).isZero();
    }

    @Test
    void advicePreventsFaults() {
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            pair.domain.advise(MemoryAdvice.PREFETCH_WRITE, true, region, 0, BYTES);
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertThat(faults()).isZero();
            assertThat(network.counters()).containsEntry("page_prefetch", 1L);
        }
    }

    @Test
    void adviceToReadPreventsFaultsOfReads() {
        try (MemoryRegion region = pair.domain.allocate(4 << 20, REMOTE)) {
            pair.domain.advise(MemoryAdvice.PREFETCH, true, region, 0, BYTES);
            pair.request(1, WorkRequestOpcode.RDMA_READ).remote(region.address(), region.rkey());
            pair.fromA(BYTES);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 1);
            assertThat(faults()).isZero();
        }
    }

    /** The errors of the kernel's drivers, which are finer than those of {@code ibv_advise_mr(3)}. */
    @Test
    void adviceIsRefusedWithTheErrorsOfTheKernel() {
        MemoryVerbs verbs = pair.domain.verbs.memory();
        long domain = pair.domain.handle();
        int write = MemoryAdvice.PREFETCH_WRITE.code();
        try (MemoryRegion region = pair.domain.allocate(BYTES, Set.of(AccessFlag.ON_DEMAND));
                MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_1);
                ProtectionDomain other = pair.context.allocateProtectionDomain()) {
            long at = region.address();
            refused(Errno.EPERM, () -> other.advise(MemoryAdvice.PREFETCH, true, region, 0, BYTES));
            refused(Errno.EPERM, () -> verbs.adviseMr(domain, write, true, at, BYTES, region.lkey()));
            refused(
                    Errno.EINVAL,
                    () -> verbs.adviseMr(
                            domain, write, true, at, BYTES, window.remote().rkey()));
            refused(Errno.EINVAL, () -> pair.domain.advise(MemoryAdvice.PREFETCH, true, pair.memoryB, 0, BYTES));
            refused(Errno.EFAULT, () -> verbs.adviseMr(domain, 0, true, at, BYTES, region.lkey() ^ 1));
            refused(Errno.EFAULT, () -> verbs.adviseMr(domain, 0, true, at + 1, BYTES, region.lkey()));
            refused(Errno.EOPNOTSUPP, () -> verbs.adviseMr(domain, 3, true, at, BYTES, region.lkey()));
        }
    }

    private static void refused(int errno, ThrowingCallable call) {
        VerbsException refused = catchThrowableOfType(VerbsException.class, call);
        assertThat(refused).isNotNull();
        assertThat(refused.errno()).as(refused.getMessage()).isEqualTo(errno);
    }

    @Test
    void aRegistrationIsRefusedWithTheValueThatIsWrong() {
        var verbs = pair.domain.verbs;
        long domain = pair.domain.handle();
        int onDemand = AccessFlag.ON_DEMAND.code();
        assertThatThrownBy(() -> verbs.regMr(domain, 0, -1, 64, onDemand))
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("iova is 0x40");
        assertThatThrownBy(() -> verbs.regMr(domain, 4096, 0, 4096, onDemand))
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("the length is 0");
        assertThatThrownBy(() -> verbs.regMr(domain, 4096, 64, -1, onDemand))
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("iova is 0xffffffffffffffff");
        assertThatThrownBy(() -> verbs.regMr(domain, 4096, 64, 4096, AccessFlag.REMOTE_WRITE.code()))
                .hasMessageContaining("EINVAL")
                .hasMessageContaining("access is 0x2");
        try (DeviceMemory memory = pair.context.allocateDeviceMemory(64, 0)) {
            refused(Errno.EINVAL, () -> pair.domain.register(memory, 0, 64, Set.of(AccessFlag.ON_DEMAND)));
        }
    }

    /** Memory of the JVM may be unmapped under an atomic, which the processor executes. */
    @Test
    void noKeyAllowsAtomicsOnMostOfTheProcess() {
        var verbs = pair.domain.verbs;
        int access = AccessFlag.mask(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC, AccessFlag.ON_DEMAND);
        long domain = pair.domain.handle();
        refused(Errno.EOPNOTSUPP, () -> verbs.regMr(domain, 0, -1, 0, access));
        refused(Errno.EOPNOTSUPP, () -> verbs.regMr(domain, 0, Long.MAX_VALUE - 1, 0, access));
        refused(Errno.EOPNOTSUPP, () -> verbs.regMr(domain, 4096, Long.MAX_VALUE - 4097, 4096, access));
        try (MemoryRegion everything =
                        pair.domain.registerEverythingOnDemand(Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
                MemoryWindow window = pair.domain.allocateMemoryWindow(MemoryWindowType.TYPE_2)) {
            var binding =
                    new MemoryWindowBinding(everything, pair.memoryB.address(), 64, Set.of(AccessFlag.REMOTE_ATOMIC));
            pair.request(90, WorkRequestOpcode.BIND_MW).bind(window, binding);
            pair.post(pair.b);
            pair.expect(pair.queueB, 90, WorkCompletionStatus.MW_BIND_ERR);
        }
    }

    @Test
    void adviceToReadDoesNotLetTheDeviceWrite() {
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            region.segment().fill((byte) 1);
            pair.domain.advise(MemoryAdvice.PREFETCH_NO_FAULT, true, region, 0, BYTES);
            pair.request(1, WorkRequestOpcode.RDMA_READ).remote(region.address(), region.rkey());
            pair.fromA(BYTES);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 1);
            assertThat(faults()).isZero();
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertThat(faults()).isOne();
        }
    }

    @Test
    void adviceWithoutFaultsAddsOnlyResidentPages() {
        try (MemoryRegion region = pair.domain.allocate(4 << 20, REMOTE)) {
            pair.domain.advise(MemoryAdvice.PREFETCH_NO_FAULT, true, region, 0, BYTES);
            pair.request(1, WorkRequestOpcode.RDMA_READ).remote(region.address(), region.rkey());
            pair.fromA(BYTES);
            pair.post(pair.a);
            pair.succeeds(pair.queueA, 1);
            assertThat(faults()).as("nothing has touched that memory before").isOne();
        }
    }

    @Test
    void pagesThatWereTakenAwayAreFaultsAgain() {
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            long first = faults();
            network.evictPages();
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertArrived(region.segment(), BYTES);
            assertThat(faults()).isGreaterThan(first);
            assertThat(network.counters()).containsEntry("page_invalidations", (long) BYTES / 4096);
        }
    }

    /** A fault of a request's memory is answered by an RNR NAK, so a sender without patience gives up. */
    @Test
    void aFaultDelaysThePacket() {
        try (MemoryRegion region = pair.domain.allocate(BYTES, REMOTE)) {
            write(region.remote(), BYTES, WorkCompletionStatus.SUCCESS);
            assertThat(network.counters().get("rcvd_rnr_err")).isEqualTo(faults());
            assertThat(network.counters()).containsEntry("send_rnr_err", 0L);
        }
    }

    @Test
    void pagesAreTakenAwayDuringATransfer() {
        int bytes = 1 << 20;
        try (MemoryRegion source =
                        pair.domain.allocate(bytes, EnumSet.of(AccessFlag.ON_DEMAND, AccessFlag.REMOTE_READ));
                MemoryRegion target = pair.domain.allocate(bytes, REMOTE)) {
            for (int round = 1; round <= 20; round++) {
                source.segment().fill((byte) round);
                pair.request(1, WorkRequestOpcode.RDMA_WRITE).remote(target.address(), target.rkey());
                pair.sends.entry(source.address(), bytes, source.lkey());
                pair.post(pair.a);
                for (int i = 0; i < round; i++) {
                    network.evictPages();
                }
                pair.succeeds(pair.queueA, 1);
                assertThat(target.segment().mismatch(source.segment())).isEqualTo(-1);
            }
            assertThat(network.counters().get("page_invalidations")).isPositive();
        }
    }

    @Test
    void theRegionOverAllMemoryHasNoAtomicsAndIsNotReregistered() {
        assertThatThrownBy(() -> pair.domain.registerEverythingOnDemand(Set.of(AccessFlag.REMOTE_ATOMIC)))
                .isInstanceOf(VerbsException.class)
                .hasMessageContaining("register the memory of the atomics on its own");
        try (MemoryRegion everything = pair.domain.registerEverythingOnDemand(Set.of())) {
            assertThatThrownBy(() -> pair.domain.verbs.memory().reregMr(everything.handle(), 4, 0, 0, 0, 1))
                    .isInstanceOf(VerbsException.class)
                    .hasMessageContaining("EINVAL");
        }
    }
}
