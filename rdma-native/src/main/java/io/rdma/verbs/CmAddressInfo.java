package io.rdma.verbs;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where a name leads, {@code struct rdma_addrinfo} of {@code rdma_getaddrinfo(3)}.
 *
 * @param source local address: where to listen, or null where any will do
 * @param destination address of the peer; null for a passive one
 */
public record CmAddressInfo(
        @Nullable InetSocketAddress source, @Nullable InetSocketAddress destination) {}
