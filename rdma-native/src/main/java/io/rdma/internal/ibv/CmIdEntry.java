package io.rdma.internal.ibv;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a {@code struct rdma_cm_id}.
 *
 * @param context handle of the device context that the identifier is bound to, which belongs to the library; 0
 *     if unbound
 * @param device name of that device, empty if unbound
 * @param transportType of that device, {@code IBV_TRANSPORT_*}; 0 if unbound
 * @param pd handle of the library's protection domain on that device, 0 if unbound
 * @param portNum from 1, 0 if unbound
 * @param source local address, {@code rdma_get_local_addr(3)}; null if not known yet
 * @param destination address of the peer, {@code rdma_get_peer_addr(3)}; null if not known yet
 */
public record CmIdEntry(
        long context,
        String device,
        int transportType,
        long pd,
        int portNum,
        @Nullable InetSocketAddress source,
        @Nullable InetSocketAddress destination) {}
