package io.rdma.connect;

import io.rdma.engine.RdmaEndpoint;
import java.net.InetSocketAddress;

/**
 * A connection that can carry operations.
 *
 * @param endpoint its queues
 * @param localAddress of the TCP exchange
 * @param remoteAddress of the TCP exchange
 */
public record EstablishedConnection(
        RdmaEndpoint endpoint, InetSocketAddress localAddress, InetSocketAddress remoteAddress) {}
