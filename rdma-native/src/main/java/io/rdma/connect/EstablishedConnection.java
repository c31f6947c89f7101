package io.rdma.connect;

import io.rdma.engine.RdmaEndpoint;
import java.net.InetSocketAddress;

/**
 * Connection that can carry operations.
 *
 * @param endpoint its queue pair, with buffers and operations
 * @param localAddress of the exchange over TCP, or of RDMA CM
 * @param remoteAddress of the exchange over TCP, or of RDMA CM
 */
public record EstablishedConnection(
        RdmaEndpoint endpoint, InetSocketAddress localAddress, InetSocketAddress remoteAddress) {}
