package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;

/** An address handle: the destination of datagrams. */
public final class SoftAh extends SoftObject {
    public final SoftPd pd;
    public final InetSocketAddress target;
    /** The target, with the fields of the IP headers of datagrams to it. */
    public final UdpAddress endpoint;

    /** Creates a handle of a path to a destination. */
    public SoftAh(SoftPd pd, InetSocketAddress target, UdpAddress endpoint) {
        this.pd = pd;
        this.target = target;
        this.endpoint = endpoint;
    }

    @Override
    public String struct() {
        return "ibv_ah";
    }

    public boolean isGroup() {
        return target.getAddress().isMulticastAddress();
    }
}
