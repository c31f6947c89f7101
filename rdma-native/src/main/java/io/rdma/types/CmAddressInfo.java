package io.rdma.types;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A resolved address, {@code struct rdma_addrinfo} of {@code rdma_getaddrinfo(3)}.
 *
 * @param source local address on which to listen; null if any will do
 * @param destination address of the peer; null for the passive side
 */
public record CmAddressInfo(
        @Nullable InetSocketAddress source, @Nullable InetSocketAddress destination) {}
