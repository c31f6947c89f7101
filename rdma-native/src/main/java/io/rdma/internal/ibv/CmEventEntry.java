package io.rdma.internal.ibv;

import org.jspecify.annotations.Nullable;

/**
 * A copy of a {@code struct rdma_cm_event} that was acknowledged, {@code rdma_get_cm_event(3)}.
 *
 * @param event {@code RDMA_CM_EVENT_*}
 * @param status 0, a negative errno, or for a rejection the peer's reason
 * @param id identifier that the event is for; for a connection request the new identifier
 * @param listenId listening identifier of a connection request, else 0
 * @param conn parameters that the peer sent; for a datagram service only private data and queue pair number
 * @param path path to the peer or group of a datagram service, else null
 * @param qkey QKey of the peer or group of a datagram service
 */
public record CmEventEntry(
        int event,
        int status,
        long id,
        long listenId,
        ConnParam conn,
        @Nullable AhAttr path,
        int qkey) {}
