package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.engine.Abilities;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.internal.engine.PlacementAbilities;
import io.rdma.types.Gid;
import io.rdma.types.Mtu;
import org.junit.jupiter.api.Test;

/** Outcome of what two sides offer. */
class NegotiationTest {
    private static final Abilities ABILITIES = Abilities.ALL.withPlacement(new PlacementAbilities(true, true, true));

    private static PeerParameters side(int reads) {
        Gid gid = Gid.of(new byte[] {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 77, 0, 1});
        return new PeerParameters(17, 0, gid, 0, Mtu.BYTES_1024, reads, reads, true, 8, 1024, 1024, new Offer(1, 1, 0));
    }

    private static EndpointOptions negotiated(int peersReads) {
        return Negotiation.of(
                ConnectionOptions.DEFAULT, side(16), side(peersReads), EndpointOptions.Start.TOGETHER, ABILITIES);
    }

    /** FLUSH and ATOMIC WRITE count among the reads in flight. */
    @Test
    void aPeerThatServesNoReadsServesNoFlushes() {
        assertThat(negotiated(4).maxRdAtomic()).isEqualTo(4);
        assertThat(negotiated(4).abilities()).isEqualTo(ABILITIES);
        assertThat(negotiated(0).maxRdAtomic()).isZero();
        assertThat(negotiated(0).abilities()).isEqualTo(Abilities.ALL);
    }
}
