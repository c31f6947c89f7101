package io.rdma.verbs;

import io.rdma.internal.ffi.Ibv;

/** What an asynchronous event says, {@code ibv_get_async_event(3)}. */
public enum AsyncEventType {
    /** {@code IBV_EVENT_CQ_ERR}: a completion queue overran; it and its queue pairs are lost. */
    CQ_ERR(Ibv.EVENT_CQ_ERR, AsyncEventElement.COMPLETION_QUEUE),
    /** {@code IBV_EVENT_QP_FATAL}: a queue pair failed and could not say so by a completion. */
    QP_FATAL(Ibv.EVENT_QP_FATAL, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_QP_REQ_ERR}: the peer sent a request that is invalid; the queue pair failed. */
    QP_REQ_ERR(Ibv.EVENT_QP_REQ_ERR, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_QP_ACCESS_ERR}: the peer wanted memory that it may not have; the queue pair failed. */
    QP_ACCESS_ERR(Ibv.EVENT_QP_ACCESS_ERR, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_COMM_EST}: the first packet came to a queue pair in RTR. */
    COMM_EST(Ibv.EVENT_COMM_EST, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_SQ_DRAINED}: the send queue is empty after a move to SQD. */
    SQ_DRAINED(Ibv.EVENT_SQ_DRAINED, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_PATH_MIG}: the connection moved to its alternate path. */
    PATH_MIG(Ibv.EVENT_PATH_MIG, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_PATH_MIG_ERR}: the connection could not move to its alternate path. */
    PATH_MIG_ERR(Ibv.EVENT_PATH_MIG_ERR, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_DEVICE_FATAL}: the device failed; everything made from it can only be closed. */
    DEVICE_FATAL(Ibv.EVENT_DEVICE_FATAL, AsyncEventElement.DEVICE),
    /** {@code IBV_EVENT_PORT_ACTIVE}: the link came up. */
    PORT_ACTIVE(Ibv.EVENT_PORT_ACTIVE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_PORT_ERR}: the link went down. */
    PORT_ERR(Ibv.EVENT_PORT_ERR, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_LID_CHANGE}: the port's local identifier changed. */
    LID_CHANGE(Ibv.EVENT_LID_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_PKEY_CHANGE}: the port's partition table changed. */
    PKEY_CHANGE(Ibv.EVENT_PKEY_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_SM_CHANGE}: the subnet manager changed. */
    SM_CHANGE(Ibv.EVENT_SM_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_SRQ_ERR}: a shared receive queue failed; nothing is taken from it any more. */
    SRQ_ERR(Ibv.EVENT_SRQ_ERR, AsyncEventElement.SHARED_RECEIVE_QUEUE),
    /**
     * {@code IBV_EVENT_SRQ_LIMIT_REACHED}: fewer receives are posted than the limit that was armed; it is disarmed now.
     */
    SRQ_LIMIT_REACHED(Ibv.EVENT_SRQ_LIMIT_REACHED, AsyncEventElement.SHARED_RECEIVE_QUEUE),
    /**
     * {@code IBV_EVENT_QP_LAST_WQE_REACHED}: a queue pair in ERR takes nothing from its shared receive queue any more.
     */
    QP_LAST_WQE_REACHED(Ibv.EVENT_QP_LAST_WQE_REACHED, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_CLIENT_REREGISTER}: the subnet manager wants clients to register again. */
    CLIENT_REREGISTER(Ibv.EVENT_CLIENT_REREGISTER, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_GID_CHANGE}: the port's GID table changed. */
    GID_CHANGE(Ibv.EVENT_GID_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_WQ_FATAL}: a work queue failed; this library makes none. */
    WQ_FATAL(Ibv.EVENT_WQ_FATAL, AsyncEventElement.WORK_QUEUE),
    /** Not in C: an event that a newer library has and this one does not know. */
    UNKNOWN(-1, AsyncEventElement.UNKNOWN);

    private static final AsyncEventType[] VALUES = values();
    private final int code;
    private final AsyncEventElement element;

    AsyncEventType(int code, AsyncEventElement element) {
        this.code = code;
        this.element = element;
    }

    /**
     * The number that C uses.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}, -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * What events of this type are about.
     *
     * @return the kind of object
     */
    public AsyncEventElement element() {
        return element;
    }

    /**
     * The constant of a number. A reader of events must survive new ones, so this does not fail.
     *
     * @param code as in C
     * @return the constant, {@link #UNKNOWN} if none has this number
     */
    public static AsyncEventType of(int code) {
        for (AsyncEventType value : VALUES) {
            if (value.code == code) {
                return value;
            }
        }
        return UNKNOWN;
    }
}
