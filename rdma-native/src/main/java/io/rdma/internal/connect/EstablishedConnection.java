package io.rdma.internal.connect;

import io.rdma.internal.engine.Endpoint;
import java.net.InetSocketAddress;

/**
 * Connection that can carry operations.
 *
 * @param endpoint its queue pair, with buffers and operations
 * @param localAddress of the exchange over TCP, or of RDMA CM
 * @param remoteAddress of the exchange over TCP, or of RDMA CM
 */
public record EstablishedConnection(
        Endpoint endpoint, InetSocketAddress localAddress, InetSocketAddress remoteAddress) {}
