package io.rdma.samples.bench.seam;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.RdmaResources;
import org.junit.jupiter.api.Test;

/** Device of the benchmarks. It is made by reflection, so the compiler does not notice when a constructor changes. */
class ImmediateVerbsTest {
    @Test
    void resourcesCanBeCreatedOnTheDevice() {
        try (RdmaResources resources = RdmaResources.open(new ImmediateVerbs().device())) {
            assertThat(resources.context().name()).isNotEmpty();
        }
    }
}
