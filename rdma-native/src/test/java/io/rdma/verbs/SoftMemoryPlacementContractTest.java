package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.soft.SoftNetwork;
import org.junit.jupiter.api.AfterEach;

/** Contract of a software device that counts what it wrote to files. */
class SoftMemoryPlacementContractTest extends MemoryPlacementContract {
    private final SoftNetwork network = SoftNetwork.create();

    @Override
    String name() {
        return network.device();
    }

    @Override
    void assertFileSyncs(long count) {
        assertThat(network.counters()).containsEntry("file_syncs", count);
    }

    @AfterEach
    void forget() {
        close();
        network.close();
    }
}
