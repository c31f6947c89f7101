package io.rdma.samples.learn;

import io.rdma.samples.support.LocalGid;
import io.rdma.types.AccessFlag;
import io.rdma.types.Gid;
import io.rdma.types.GidTableEntry;
import io.rdma.types.PortAttributes;
import io.rdma.types.QueuePairState;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import java.util.EnumSet;
import java.util.Set;

/**
 * The attributes of a port's reliable queue pairs on their way from RESET to ready to send. {@link BringUp} performs
 * the steps one by one.
 */
final class Steps {
    static final int PORT = 1;
    static final Set<AccessFlag> ALL = EnumSet.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private final PortAttributes port;
    private final GidTableEntry gid;

    Steps(DeviceContext context) {
        port = context.queryPort(PORT);
        gid = LocalGid.of(context, PORT);
    }

    /** Returns the address for the peer. The application decides how to send it. */
    Address address(QueuePair pair, int psn, RemoteMemory memory) {
        return new Address(pair.number(), psn, port.lid(), port.activeMtu(), gid.gid(), memory);
    }

    QueuePairAttributes init() {
        return QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(PORT)
                .access(ALL);
    }

    /**
     * Returns the attributes for RTR.
     *
     * @param type of the queue pair; {@link QueuePairType#XRC_SEND} only sends, so it never responds
     */
    QueuePairAttributes readyToReceive(QueuePairType type, Address peer) {
        QueuePairAttributes attributes = QueuePairAttributes.toState(QueuePairState.RTR)
                .pathMtu(port.activeMtu().min(peer.mtu()))
                .destQpNum(peer.qpNumber())
                .rqPsn(peer.psn());
        if (type != QueuePairType.XRC_SEND) {
            attributes = attributes.maxDestRdAtomic(16).minRnrTimer(12);
        }
        Gid there = peer.gid();
        return there.isZero()
                ? attributes.path(PORT, peer.lid())
                : attributes.path(PORT, gid.index(), there, peer.lid());
    }

    /**
     * Returns the attributes for RTS.
     *
     * @param type of the queue pair; {@link QueuePairType#XRC_RECV} only receives, so it never requests
     */
    QueuePairAttributes readyToSend(QueuePairType type, int psn) {
        QueuePairAttributes attributes =
                QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(psn).timeout(14);
        return type == QueuePairType.XRC_RECV
                ? attributes
                : attributes.retryCnt(7).rnrRetry(7).maxRdAtomic(16);
    }
}
