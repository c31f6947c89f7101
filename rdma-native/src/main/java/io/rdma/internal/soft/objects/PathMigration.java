package io.rdma.internal.soft.objects;

import static io.rdma.internal.ibv.Ibv.*;

import io.rdma.internal.ibv.AltPath;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.soft.wire.Opcode;
import io.rdma.internal.soft.wire.Packet;
import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - In REARM and ARMED there is an alternate path. In MIGRATED there may be one that is not armed yet.
// - Packets say by their MigReq bit whether this side is in MIGRATED. So a side in REARM knows from a packet without
// that bit that the peer has an alternate path too, and becomes ARMED.
// - Only a packet with MigReq that came along the alternate path, from the peer's address to this side's, makes this
// side follow. With RC and XRC its PSN must be one that the peer may use now: else a forged or delayed packet would
// move the connection. UC begins again at any PSN, so it follows any such packet. Any other one is that of a stranger.
// - A migration uses the alternate path up: both sides have to set one again.

/**
 * Path migration of a connected queue pair: its alternate path, and the states MIGRATED, REARM and ARMED. IB
 * specification volume 1, 17.2.8.
 */
public final class PathMigration {
    private static final int MOST_TIMEOUT = 31;

    private final SoftQp qp;
    private int state = MIG_MIGRATED;
    private @Nullable AltPath alternate;
    private InetSocketAddress target; // of the alternate path, as `path`
    private UdpAddress path = new UdpAddress();
    private boolean refusalTold; // since the alternate path was set

    PathMigration(SoftQp qp) {
        this.qp = qp;
        target = qp.device.local();
    }

    /** Returns whether packets carry the MigReq bit. */
    public boolean isMigrated() {
        return state == MIG_MIGRATED;
    }

    /**
     * Checks a change of the alternate path or of the state.
     *
     * @throws io.rdma.types.VerbsException EINVAL if it is not allowed
     */
    void check(QpAttr attr, int mask) {
        boolean loads = (mask & QP_ALT_PATH) != 0;
        boolean changes = (mask & QP_PATH_MIG_STATE) != 0;
        if ((loads || changes) && qp.device.personality().isIwarp()) {
            throw QpTransitions.invalid("iWARP has no alternate paths: connect again when a path fails");
        }
        AltPath given = loads ? attr.altPath() : alternate;
        if (loads) {
            if (given == null) {
                throw QpTransitions.invalid("IBV_QP_ALT_PATH needs an alternate path");
            }
            if (given.portNum() != given.ahAttr().portNum() || given.pkeyIndex() != 0) {
                throw QpTransitions.invalid("a path has one port, and partition index 0");
            }
            if (given.timeout() < 0 || given.timeout() > MOST_TIMEOUT) {
                throw QpTransitions.invalid("the time-out of an alternate path is from 0 to 31: " + given.timeout());
            }
            SoftPath.connected(qp.device, given.ahAttr());
        }
        if (!changes) {
            if (loads && state != MIG_MIGRATED) {
                throw QpTransitions.invalid("an alternate path is set already: set IBV_MIG_REARM with another one");
            }
            return;
        }
        switch (attr.pathMigState()) {
            case MIG_REARM -> {
                if (given == null) {
                    throw QpTransitions.invalid("IBV_MIG_REARM needs an alternate path: set IBV_QP_ALT_PATH");
                }
            }
            case MIG_MIGRATED -> {
                boolean connecting = qp.state < QPS_RTS; // on the way to RTR and RTS it says what is so already
                if (state == MIG_REARM || state == MIG_ARMED && loads || state == MIG_MIGRATED && !connecting) {
                    throw QpTransitions.invalid("it migrates from IBV_MIG_ARMED only, along the path that is armed");
                }
            }
            case MIG_ARMED ->
                throw QpTransitions.invalid("the device alone sets IBV_MIG_ARMED, once the peer is in IBV_MIG_REARM");
            default -> throw QpTransitions.invalid("there is no migration state " + attr.pathMigState());
        }
    }

    /** Performs a change that was checked. */
    void apply(QpAttr attr, int mask) {
        AltPath given = attr.altPath();
        if ((mask & QP_ALT_PATH) != 0 && given != null) {
            target = SoftPath.connected(qp.device, given.ahAttr());
            path = SoftPath.of(given.ahAttr(), target, qp.device.hasHeaders());
            alternate = new AltPath(
                    SoftPath.kept(given.ahAttr(), path), given.pkeyIndex(), given.portNum(), given.timeout());
            refusalTold = false;
        }
        if ((mask & QP_PATH_MIG_STATE) != 0) {
            if (attr.pathMigState() == MIG_REARM) {
                state = MIG_REARM;
                refusalTold = false;
            } else {
                migrate();
            }
        }
    }

    /** Returns attributes with this state and alternate path. */
    QpAttr view(QpAttr attr) {
        return attr.withMigration(state, alternate);
    }

    void reset() {
        state = MIG_MIGRATED;
        alternate = null;
    }

    /** Notes a packet of the peer on the path of the queue pair. */
    public void arrived(Packet packet) {
        if (state == MIG_REARM && !packet.migrated) {
            state = MIG_ARMED;
        }
    }

    /**
     * Migrates if a packet that did not come along the queue pair's path is the peer's request for that. A request
     * along an alternate path that is not armed is refused, and the first one is reported:
     * {@code IBV_EVENT_PATH_MIG_ERR}.
     *
     * @param via index of the GID at which it arrived
     * @return whether the packet belongs to the queue pair now
     */
    public boolean follows(Packet packet, @Nullable UdpAddress from, int via) {
        AltPath to = alternate;
        if (to == null
                || from == null
                || !packet.migrated
                || to.ahAttr().sgidIndex() != via
                || !from.sendsFor(path)
                || !isNear(packet)
                || qp.state < QPS_RTR
                || qp.state > QPS_SQD) {
            return false;
        }
        if (state != MIG_ARMED) {
            if (!refusalTold) {
                refusalTold = true;
                qp.tell(EVENT_PATH_MIG_ERR);
            }
            return false;
        }
        return migrate();
    }

    private boolean isNear(Packet packet) {
        return Opcode.isResponse(packet.opcode) ? qp.requester.isNear(packet) : qp.responder.isNear(packet);
    }

    /**
     * Migrates to the alternate path if it is armed, {@code IBV_EVENT_PATH_MIG}. What the peer has not acknowledged is
     * sent again there.
     *
     * @return whether it migrated
     */
    public boolean migrate() {
        AltPath to = alternate;
        if (state != MIG_ARMED || to == null) {
            return false;
        }
        state = MIG_MIGRATED;
        alternate = null;
        qp.attr = qp.attr.migratedTo(to);
        qp.takePath(to.ahAttr().sgidIndex(), target, path);
        qp.requester.migrated();
        qp.tell(EVENT_PATH_MIG);
        qp.device.runnable(qp);
        return true;
    }
}
