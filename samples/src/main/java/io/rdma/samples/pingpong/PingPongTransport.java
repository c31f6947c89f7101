package io.rdma.samples.pingpong;

import io.rdma.verbs.GlobalRoutingHeader;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairType;

/** The transports of the ping-pongs, and the differences between the four programs of rdma-core. */
enum PingPongTransport {
    /** {@code ibv_rc_pingpong}. */
    RC(QueuePairType.RC),
    /** {@code ibv_uc_pingpong}. */
    UC(QueuePairType.UC),
    /** {@code ibv_ud_pingpong}. */
    UD(QueuePairType.UD),
    /** {@code ibv_srq_pingpong}: several reliable connections that share their receives. */
    SRQ(QueuePairType.RC);

    private static final int CONNECTED_SIZE = 4096;
    private static final int DATAGRAM_SIZE = 1024;
    private static final int SHARED_ADDRESSES = 256;
    private final QueuePairType type;

    PingPongTransport(QueuePairType type) {
        this.type = type;
    }

    QueuePairType type() {
        return type;
    }

    /** Returns the length of a message in bytes if no option gives one. */
    int defaultSize() {
        return this == UD ? DATAGRAM_SIZE : CONNECTED_SIZE;
    }

    /** Returns the number of queue pairs if no option gives one. */
    int defaultQueuePairs() {
        return this == SRQ ? 16 : 1;
    }

    /** Returns the largest number of queue pairs that the program of rdma-core takes. */
    int maxQueuePairs() {
        return this == SRQ ? SHARED_ADDRESSES - 1 : 1;
    }

    /** Returns the number of addresses in the handshake. Those without a queue pair are zero. */
    int addresses() {
        return this == SRQ ? SHARED_ADDRESSES : 1;
    }

    /** Returns whether the queue pairs take their receives from a shared receive queue. */
    boolean sharesReceives() {
        return this == SRQ;
    }

    /** Returns the number of bytes in front of a received message. */
    int headroom() {
        return this == UD ? GlobalRoutingHeader.BYTES : 0;
    }

    PingPongPath path(PingPongOptions options, ProtectionDomain domain, QueuePair pair) {
        return this == UD ? new DatagramPath(options, domain, pair) : new ConnectedPath(options, pair);
    }
}
