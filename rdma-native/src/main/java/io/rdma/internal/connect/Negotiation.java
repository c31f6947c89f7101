package io.rdma.internal.connect;

import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.engine.Abilities;
import io.rdma.internal.engine.EndpointOptions;
import io.rdma.internal.engine.PlacementAbilities;
import java.time.Duration;

/** Outcome of what both sides of a connection offer. */
final class Negotiation {
    private Negotiation() {}

    /** Returns whether both sides count credits. */
    static boolean hasCredits(PeerParameters local, PeerParameters peer) {
        return local.credits() && peer.credits();
    }

    /**
     * Returns the parameters of an endpoint.
     *
     * @param options of this side
     * @param local what this side has told the peer
     * @param peer what the peer has told
     * @param start which side sends first
     * @param abilities of the device
     */
    static EndpointOptions of(
            ConnectionOptions options,
            PeerParameters local,
            PeerParameters peer,
            EndpointOptions.Start start,
            Abilities abilities) {
        boolean credits = hasCredits(local, peer);
        boolean grows = credits && local.offer().shares(Offer.GROWING_WINDOWS, peer.offer());
        boolean sharing = local.offer().shares(Offer.SHARED_WINDOWS, peer.offer());
        int reads = Math.min(local.initiatorDepth(), peer.responderResources());
        return new EndpointOptions(
                options.queuePair(),
                local.receiveBuffers(),
                local.offer().has(Offer.EXTENDED) ? 1 : local.receiveBufferSize(), // receivers have the buffers of XRC
                options.sendBuffers(),
                options.sendBufferSize(),
                options.signalEvery(),
                reads,
                // The peer reads messages that exceed its receive buffers, if both sides have RDMA reads for that.
                credits && Math.min(local.responderResources(), peer.initiatorDepth()) > 0
                        ? peer.maxMessageSize()
                        : peer.receiveBufferSize(),
                options.maxMessageSize(),
                peer.receiveBufferSize(),
                credits,
                peer.receiveBuffers(),
                credits && local.offer().shares(Offer.FAREWELLS, peer.offer()),
                options.orderlyDisconnect(),
                options.drainTimeout(),
                local.offer().shares(Offer.PROBES, peer.offer()) ? options.probeInterval() : Duration.ZERO,
                grows ? first(local, sharing) : local.receiveBuffers(),
                grows ? first(peer, sharing) : peer.receiveBuffers(),
                FirstBuffers.sends(options.sendBuffers(), options.sendBufferSize()),
                credits && local.offer().shares(Offer.BATCHES, peer.offer()),
                start,
                // FLUSH and ATOMIC WRITE count among the reads in flight: where there are none, none of them can go
                // out.
                (reads > 0 ? abilities : abilities.withPlacement(PlacementAbilities.NONE))
                        .withNumbers(local.offer().has(Offer.UNRELIABLE)));
    }

    private static int first(PeerParameters side, boolean sharing) {
        if (sharing && side.offer().has(Offer.SHARED_RECEIVES)) {
            return FirstBuffers.sharedReceives(side.receiveBuffers());
        }
        return FirstBuffers.receives(side.receiveBuffers(), side.receiveBufferSize());
    }
}
