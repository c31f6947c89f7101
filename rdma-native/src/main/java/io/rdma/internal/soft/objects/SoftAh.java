package io.rdma.internal.soft.objects;

import io.rdma.internal.soft.wire.UdpAddress;
import java.net.InetSocketAddress;

/** An address handle: the destination of datagrams. */
public final class SoftAh extends SoftObject {
    public final SoftPd pd;
    public final InetSocketAddress target;
    public final UdpAddress endpoint;

    public SoftAh(SoftPd pd, InetSocketAddress target) {
        this.pd = pd;
        this.target = target;
        endpoint = new UdpAddress(target);
    }

    @Override
    public String struct() {
        return "ibv_ah";
    }

    public boolean isGroup() {
        return target.getAddress().isMulticastAddress();
    }
}
