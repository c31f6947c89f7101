package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.soft.SoftNetwork;
import io.rdma.types.AccessFlag;
import io.rdma.types.ExtendedDeviceAttributes.OnDemandOperation;
import io.rdma.types.MemoryAdvice;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.types.WorkRequestOpcode;
import java.util.EnumSet;
import java.util.Set;
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
    void adviceWithoutFaultsAddsWhatIsInMemoryAlone() {
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
