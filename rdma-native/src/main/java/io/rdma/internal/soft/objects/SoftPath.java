package io.rdma.internal.soft.objects;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.soft.wire.SoftAddress;
import io.rdma.internal.soft.wire.UdpAddress;
import io.rdma.types.Errno;
import io.rdma.types.VerbsException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Path of packets: the attributes of an address handle, as fields of IP headers. IBA annex A17.4.5. */
public final class SoftPath {
    private SoftPath() {}

    /**
     * Returns the destination of the path of a connected queue pair, which may start at any GID of the device.
     *
     * @throws VerbsException EINVAL if the device has no such path
     */
    static InetSocketAddress connected(Device device, @Nullable AhAttr path) {
        return target("ibv_modify_qp", device, device.gids(), path);
    }

    /**
     * Returns the destination of a path of datagrams, which start at the first GID.
     *
     * @throws VerbsException EINVAL if the device has no such path
     */
    public static InetSocketAddress target(String call, Device device, @Nullable AhAttr path) {
        return target(call, device, 1, path);
    }

    private static InetSocketAddress target(String call, Device device, int gids, @Nullable AhAttr path) {
        int port = device.personality().port();
        if (path == null
                || !path.isGlobal()
                || path.portNum() != port
                || path.sgidIndex() < 0
                || path.sgidIndex() >= gids) {
            throw new VerbsException(
                    call,
                    Errno.EINVAL,
                    "RoCE needs a path with a global route from a GID: the first " + gids + " of port " + port);
        }
        return SoftAddress.of(path.dgid());
    }

    /**
     * Returns the destination of a path, with the fields of the IP headers of its packets. Hop limit 0, by which no
     * packet would arrive, is that of the host.
     *
     * @param hasHeaders see {@link Device#hasHeaders}
     */
    public static UdpAddress of(AhAttr path, InetSocketAddress target, boolean hasHeaders) {
        UdpAddress to = new UdpAddress(target);
        to.trafficClass = path.trafficClass() & 0xff;
        if (hasHeaders && path.hopLimit() != 0) {
            to.hopLimit = path.hopLimit() & 0xff;
        }
        if (hasHeaders && to.ipv6) {
            to.flowLabel = path.flowLabel() & 0xfffff;
        }
        return to;
    }

    /** Returns the attributes of a path as a query reports them: with the fields that its packets really have. */
    static AhAttr kept(AhAttr path, UdpAddress to) {
        return new AhAttr(
                path.dgid(),
                to.flowLabel,
                path.sgidIndex(),
                to.hopLimit,
                to.trafficClass,
                path.dlid(),
                path.sl(),
                path.srcPathBits(),
                path.staticRate(),
                path.isGlobal(),
                path.portNum());
    }
}
