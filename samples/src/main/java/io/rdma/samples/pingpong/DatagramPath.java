package io.rdma.samples.pingpong;

import io.rdma.types.GidTableEntry;
import io.rdma.types.QueuePairState;
import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.SendChain;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The path of a queue pair that sends datagrams to one peer, with the queue key of {@code ibv_ud_pingpong}. */
final class DatagramPath implements PingPongPath {
    private static final int QKEY = 0x1111_1111;

    private final PingPongOptions options;
    private final ProtectionDomain domain;
    private final QueuePair pair;
    private @Nullable AddressHandle peer;
    private int peerNumber;

    DatagramPath(PingPongOptions options, ProtectionDomain domain, QueuePair pair) {
        this.options = options;
        this.domain = domain;
        this.pair = pair;
    }

    @Override
    public void init() {
        pair.modify(QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(options.ibPort)
                .qkey(QKEY));
    }

    @Override
    public void up(GidTableEntry gid, PingPongAddress local, PingPongAddress remote) {
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        pair.modify(QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(local.psn()));
        peer = domain.createAddressHandle(remote.path(options, gid));
        peerNumber = remote.qpNumber();
    }

    @Override
    public void address(SendChain chain) {
        chain.destination(Objects.requireNonNull(peer), peerNumber, QKEY);
    }

    /**
     * Closes the address handle, before the queue pair is closed. By then nothing is in flight, or the result no
     * longer matters.
     */
    @Override
    public void close() {
        AddressHandle handle = peer;
        if (handle != null) {
            handle.close();
        }
    }
}
