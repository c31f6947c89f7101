package io.rdma.samples.learn;

import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.Gid;
import io.rdma.verbs.GidTableEntry;
import io.rdma.verbs.PortAttributes;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairState;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.RemoteMemory;
import java.util.EnumSet;
import java.util.Set;

/**
 * What reliable queue pairs of a port are told on their way from RESET to where they can send: {@link BringUp} goes
 * step by step.
 */
final class Steps {
    static final int PORT = 1;
    static final Set<AccessFlag> ALL = EnumSet.of(
            AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC);

    private final PortAttributes port;
    private final GidTableEntry gid;

    Steps(DeviceContext context) {
        port = context.queryPort(PORT);
        gid = Side.gid(context);
    }

    /** What the peer has to know; how it gets there is the application's affair. */
    Address address(QueuePair pair, int psn, RemoteMemory memory) {
        return new Address(pair.number(), psn, port.lid(), port.activeMtu(), gid.gid(), memory);
    }

    QueuePairAttributes init() {
        return QueuePairAttributes.toState(QueuePairState.INIT)
                .pkeyIndex(0)
                .port(PORT)
                .access(ALL);
    }

    /** @param type who only sends, {@link QueuePairType#XRC_SEND}, answers nobody */
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

    /** @param type who only receives, {@link QueuePairType#XRC_RECV}, asks nobody */
    QueuePairAttributes readyToSend(QueuePairType type, int psn) {
        QueuePairAttributes attributes =
                QueuePairAttributes.toState(QueuePairState.RTS).sqPsn(psn).timeout(14);
        return type == QueuePairType.XRC_RECV
                ? attributes
                : attributes.retryCnt(7).rnrRetry(7).maxRdAtomic(16);
    }
}
