package io.rdma.internal.ffi;

import org.jspecify.annotations.Nullable;

/**
 * A copy of a {@code struct rdma_cm_event} that was acknowledged, {@code rdma_get_cm_event(3)}.
 *
 * @param event {@code RDMA_CM_EVENT_*}
 * @param status 0, a negative errno, or for a rejection the peer's reason
 * @param id identifier it is about; of a connection request the new one
 * @param listenId of a connection request the listening identifier, else 0
 * @param conn what the peer said; of a datagram service only the private data and the queue pair number
 * @param path to the peer or group of a datagram service, else null
 * @param qkey of the peer or group of a datagram service
 */
public record CmEventEntry(
        int event,
        int status,
        long id,
        long listenId,
        ConnParam conn,
        @Nullable AhAttr path,
        int qkey) {}
