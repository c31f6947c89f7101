package io.rdma.internal.soft;

import java.net.InetSocketAddress;

/** An address handle: where datagrams go. */
final class SoftAh extends SoftObject {
    final SoftPd pd;
    final InetSocketAddress target;
    final Endpoint endpoint;

    SoftAh(SoftPd pd, InetSocketAddress target) {
        this.pd = pd;
        this.target = target;
        endpoint = new Endpoint(target);
    }

    boolean isGroup() {
        return target.getAddress().isMulticastAddress();
    }
}
