package io.rdma.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.types.AccessFlag;
import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SoftMemoryKindsContractTest extends MemoryKindsContract {
    @Override
    String device() {
        return "soft0";
    }

    /** Linux's rdma_rxe and mlx5 do so, ibv_rereg_mr(3) does not promise it. */
    @Test
    void aRegionKeepsItsKeysUnlessItsMemoryChanges() {
        try (Arena arena = Arena.ofShared();
                ProtectionDomain other = pair.context.allocateProtectionDomain();
                MemoryRegion region =
                        pair.domain.register(arena.allocate(BYTES), EnumSet.of(AccessFlag.REMOTE_WRITE))) {
            int lkey = region.lkey();
            int rkey = region.rkey();
            region.reregister(ReregisterOptions.NOTHING
                    .withAccess(Set.of(AccessFlag.REMOTE_READ))
                    .withDomain(other));
            assertThat(region.lkey()).isEqualTo(lkey);
            assertThat(region.rkey()).isEqualTo(rkey);
            region.reregister(ReregisterOptions.NOTHING.withMemory(arena.allocate(BYTES)));
            assertThat(region.lkey()).isNotEqualTo(lkey);
            assertThat(region.rkey()).isNotEqualTo(rkey);
        }
    }
}
