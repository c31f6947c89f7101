package io.rdma.internal.soft.cm;

import static io.rdma.internal.ibv.Cma.*;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.soft.device.Datagrams;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

// Invariant: everything is guarded by the identifier's monitor.

/** Multicast groups that a {@link SoftCmId} has joined. */
final class CmGroups {
    private final SoftCmId id;
    private final Map<InetAddress, Boolean> joined = new HashMap<>(); // with whether the queue pair is attached

    CmGroups(SoftCmId id) {
        this.id = id;
    }

    /** Joins a group, attaches the identifier's queue pair, if it has one, and adds the event. */
    void join(CmDevice verbs, InetSocketAddress group, int joinFlags) {
        if (!id.isDatagram() || !id.onDevice || !group.getAddress().isMulticastAddress()) {
            throw new VerbsException(
                    "rdma_join_multicast_ex",
                    Errno.EINVAL,
                    "Only an identifier of port space UDP that is bound to a device can join a multicast group");
        }
        byte[] gid = gid(group);
        AhAttr path = id.parameters.path(gid);
        try {
            boolean attach = id.qp != 0 && joinFlags == MC_JOIN_FLAG_FULLMEMBER;
            if (attach) {
                verbs.attachMcast(id.qp, gid, 0);
            }
            joined.put(group.getAddress(), attach);
            id.tellOf(CM_EVENT_MULTICAST_JOIN, 0, path, Datagrams.MULTICAST_QPN);
        } catch (VerbsException e) {
            id.tellOf(CM_EVENT_MULTICAST_ERROR, -e.errno(), path, Datagrams.MULTICAST_QPN);
        }
    }

    /** Leaves a group, and detaches the queue pair that was attached. */
    void leave(CmDevice verbs, InetSocketAddress group) {
        Boolean attached = joined.remove(group.getAddress());
        if (attached == null) {
            throw new VerbsException(
                    "rdma_leave_multicast", Errno.EADDRNOTAVAIL, "The identifier has not joined " + group);
        }
        if (attached && id.qp != 0) {
            verbs.detachMcast(id.qp, gid(group), 0);
        }
    }

    private static byte[] gid(InetSocketAddress group) {
        return SoftAddress.gid(new InetSocketAddress(group.getAddress(), SoftAddress.ROCE_PORT));
    }
}
