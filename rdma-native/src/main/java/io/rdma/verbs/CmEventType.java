package io.rdma.verbs;

import io.rdma.internal.ffi.Cma;

/** What a {@link CmEvent} tells, {@code enum rdma_cm_event_type}, {@code rdma_get_cm_event(3)}. */
public enum CmEventType {
    /** The address was resolved: the identifier has a device. */
    ADDR_RESOLVED(Cma.CM_EVENT_ADDR_RESOLVED),
    /** The address was not resolved. */
    ADDR_ERROR(Cma.CM_EVENT_ADDR_ERROR),
    /** The route was resolved: it can connect. */
    ROUTE_RESOLVED(Cma.CM_EVENT_ROUTE_RESOLVED),
    /** The route was not resolved. */
    ROUTE_ERROR(Cma.CM_EVENT_ROUTE_ERROR),
    /**
     * Passive side: somebody wants to connect; the event has a new identifier, to be accepted or rejected, and closed.
     */
    CONNECT_REQUEST(Cma.CM_EVENT_CONNECT_REQUEST),
    /**
     * Active side, of an identifier without a queue pair: the peer accepted; move the queue pair, then
     * {@link CmIdentifier#establish}.
     */
    CONNECT_RESPONSE(Cma.CM_EVENT_CONNECT_RESPONSE),
    /** An error while the connection was made, on either side. */
    CONNECT_ERROR(Cma.CM_EVENT_CONNECT_ERROR),
    /** Active side: the peer cannot be reached, or does not answer. */
    UNREACHABLE(Cma.CM_EVENT_UNREACHABLE),
    /** The peer said no, or nobody listens there; the status is its reason. */
    REJECTED(Cma.CM_EVENT_REJECTED),
    /** The connection is there; of a datagram service, the peer is known. */
    ESTABLISHED(Cma.CM_EVENT_ESTABLISHED),
    /** The connection ended, on whichever side. */
    DISCONNECTED(Cma.CM_EVENT_DISCONNECTED),
    /** The device goes away: close the identifier. */
    DEVICE_REMOVAL(Cma.CM_EVENT_DEVICE_REMOVAL),
    /** The group was joined. */
    MULTICAST_JOIN(Cma.CM_EVENT_MULTICAST_JOIN),
    /** The group was not joined, or was lost. */
    MULTICAST_ERROR(Cma.CM_EVENT_MULTICAST_ERROR),
    /** The network interface below changed its hardware address. */
    ADDR_CHANGE(Cma.CM_EVENT_ADDR_CHANGE),
    /** The queue pair of a connection that ended may be used again. */
    TIMEWAIT_EXIT(Cma.CM_EVENT_TIMEWAIT_EXIT),
    /** One that this release does not know. */
    UNKNOWN(-1);

    private static final CmEventType[] VALUES = values();
    private final int code;

    CmEventType(int code) {
        this.code = code;
    }

    /**
     * C's number.
     *
     * @return of {@code enum rdma_cm_event_type}; -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * The type of a number.
     *
     * @param code of {@code enum rdma_cm_event_type}
     * @return {@link #UNKNOWN} if this release does not know it
     */
    public static CmEventType of(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }
}
