package io.rdma.internal.soft.ring;

import io.rdma.internal.soft.wire.UdpAddress;
import org.jspecify.annotations.Nullable;

/** Device that packets are sent to: its address, and the ring to it if there is one. In a turn. */
public final class Peer {
    /** Address of the device. */
    public final UdpAddress address;

    int sent; // packets by UDP, as long as there is no ring
    boolean refuses; // rings: a first one was not accepted

    @Nullable
    PeerRing ring;

    /** Creates a peer without a ring. */
    public Peer(UdpAddress address) {
        this.address = address;
    }
}
