package io.rdma.internal.ibv;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code struct rdma_addrinfo}, {@code rdma_getaddrinfo(3)}.
 *
 * @param portSpace {@code RDMA_PS_*}
 * @param source local address, or null if any will do
 * @param destination address of the peer; null for a passive entry
 */
public record CmAddrInfo(
        int portSpace,
        @Nullable InetSocketAddress source,
        @Nullable InetSocketAddress destination) {}
