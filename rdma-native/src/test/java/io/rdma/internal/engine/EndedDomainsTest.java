package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegistrationCache;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.FaultyDevice;
import io.rdma.verbs.MemoryRegion;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Domains of ended connections of which the application still holds memory. */
class EndedDomainsTest {
    private static final int HELD = 100;
    private static final int FEW = 20;

    private final FaultyDevice faults = new FaultyDevice();
    private final AtomicInteger tries = new AtomicInteger();

    private void countTries() {
        tries.incrementAndGet();
        faults.nextRuns.put("deallocPd", this::countTries);
    }

    @Test
    void anAllocationTriesFewOfThemAndEachIsTriedInTurn() {
        DeviceResources resources = new DeviceResources(faults.device());
        List<RegistrationCache> ended = IntStream.range(0, HELD)
                .mapToObj(i -> resources.allocateDomain())
                .toList();
        List<MemoryRegion> held = ended.stream()
                .map(one -> one.domain().allocate(1, EnumSet.of(AccessFlag.LOCAL_WRITE)))
                .toList();
        ended.forEach(resources::release);

        faults.nextRuns.put("deallocPd", this::countTries);
        resources.release(resources.allocateDomain());
        assertThat(tries).hasPositiveValue();
        assertThat(tries.get()).isLessThanOrEqualTo(FEW);

        held.subList(FEW, HELD).forEach(MemoryRegion::close); // the first ones do not keep the others from their turn
        IntStream.range(0, HELD).forEach(i -> resources.release(resources.allocateDomain()));
        assertThat(ended.subList(FEW, HELD)).allMatch(one -> one.domain().isClosed());
        held.subList(0, FEW).forEach(MemoryRegion::close);
        resources.close();
        assertThat(ended).allMatch(one -> one.domain().isClosed());
        TestDevice.awaitClosed(resources.context());
    }
}
