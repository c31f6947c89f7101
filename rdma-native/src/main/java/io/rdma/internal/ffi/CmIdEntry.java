package io.rdma.internal.ffi;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What a {@code struct rdma_cm_id} says of itself.
 *
 * @param context handle of the device it is bound to, the library's own; 0 before
 * @param device name of that, empty before
 * @param pd handle of the library's protection domain on that device, 0 before
 * @param portNum from 1, 0 before
 * @param source local address, {@code rdma_get_local_addr(3)}; null before
 * @param destination of the peer, {@code rdma_get_peer_addr(3)}; null before
 */
public record CmIdEntry(
        long context,
        String device,
        long pd,
        int portNum,
        @Nullable InetSocketAddress source,
        @Nullable InetSocketAddress destination) {}
