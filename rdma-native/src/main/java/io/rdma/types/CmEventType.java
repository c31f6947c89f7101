package io.rdma.types;

import io.rdma.internal.ibv.Cma;

/** The type of a {@code CmEvent}, {@code enum rdma_cm_event_type} of {@code rdma_get_cm_event(3)}. */
public enum CmEventType {
    /** The address was resolved; the identifier is bound to a device. */
    ADDR_RESOLVED(Cma.CM_EVENT_ADDR_RESOLVED),
    /** Address resolution failed. */
    ADDR_ERROR(Cma.CM_EVENT_ADDR_ERROR),
    /** The route was resolved; the identifier can connect. */
    ROUTE_RESOLVED(Cma.CM_EVENT_ROUTE_RESOLVED),
    /** Route resolution failed. */
    ROUTE_ERROR(Cma.CM_EVENT_ROUTE_ERROR),
    /**
     * Passive side: a peer requests a connection. The event carries a new identifier, which the application must accept
     * or reject, and close.
     */
    CONNECT_REQUEST(Cma.CM_EVENT_CONNECT_REQUEST),
    /**
     * Active side, for an identifier without a queue pair: the peer accepted. Move the queue pair to RTS, then call
     * {@code CmIdentifier.establish}.
     */
    CONNECT_RESPONSE(Cma.CM_EVENT_CONNECT_RESPONSE),
    /** Connection establishment failed, on either side. */
    CONNECT_ERROR(Cma.CM_EVENT_CONNECT_ERROR),
    /** Active side: the peer cannot be reached or does not answer. */
    UNREACHABLE(Cma.CM_EVENT_UNREACHABLE),
    /** The peer rejected the request, or nothing listens on that port. The status holds the reason. */
    REJECTED(Cma.CM_EVENT_REJECTED),
    /** The connection is established; for a datagram service, the peer is known. */
    ESTABLISHED(Cma.CM_EVENT_ESTABLISHED),
    /** The connection ended. Either side may have ended it. */
    DISCONNECTED(Cma.CM_EVENT_DISCONNECTED),
    /** The device is being removed: close the identifier. */
    DEVICE_REMOVAL(Cma.CM_EVENT_DEVICE_REMOVAL),
    /** The multicast group was joined. */
    MULTICAST_JOIN(Cma.CM_EVENT_MULTICAST_JOIN),
    /** Joining the multicast group failed, or the membership was lost. */
    MULTICAST_ERROR(Cma.CM_EVENT_MULTICAST_ERROR),
    /** The hardware address of the underlying network interface changed. */
    ADDR_CHANGE(Cma.CM_EVENT_ADDR_CHANGE),
    /** The time-wait of a closed connection is over; its queue pair may be reused. */
    TIMEWAIT_EXIT(Cma.CM_EVENT_TIMEWAIT_EXIT),
    /** An event that this release does not know. */
    UNKNOWN(-1);

    private static final CmEventType[] VALUES = values();
    private final int code;

    CmEventType(int code) {
        this.code = code;
    }

    /**
     * Returns the number of this constant in C.
     *
     * @return a value of {@code enum rdma_cm_event_type}; -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the constant that has a number in C.
     *
     * @param code value of {@code enum rdma_cm_event_type}
     * @return the constant; {@link #UNKNOWN} if this release does not know it
     */
    public static CmEventType of(int code) {
        return code >= 0 && code < VALUES.length - 1 ? VALUES[code] : UNKNOWN;
    }
}
