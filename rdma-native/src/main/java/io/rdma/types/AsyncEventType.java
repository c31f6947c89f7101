package io.rdma.types;

import io.rdma.internal.ibv.Ibv;

/** The type of an asynchronous event, {@code ibv_get_async_event(3)}. */
public enum AsyncEventType {
    /** {@code IBV_EVENT_CQ_ERR}: a completion queue overran. It and its queue pairs are unusable. */
    CQ_ERR(Ibv.EVENT_CQ_ERR, AsyncEventElement.COMPLETION_QUEUE),
    /** {@code IBV_EVENT_QP_FATAL}: a queue pair failed and could not report it by a completion. */
    QP_FATAL(Ibv.EVENT_QP_FATAL, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_QP_REQ_ERR}: the peer sent a request that is invalid; the queue pair failed. */
    QP_REQ_ERR(Ibv.EVENT_QP_REQ_ERR, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_QP_ACCESS_ERR}: the peer accessed memory without the right to; the queue pair failed. */
    QP_ACCESS_ERR(Ibv.EVENT_QP_ACCESS_ERR, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_COMM_EST}: the first packet arrived at a queue pair in RTR. */
    COMM_EST(Ibv.EVENT_COMM_EST, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_SQ_DRAINED}: the send queue is drained after a transition to SQD. */
    SQ_DRAINED(Ibv.EVENT_SQ_DRAINED, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_PATH_MIG}: the connection migrated to its alternate path. */
    PATH_MIG(Ibv.EVENT_PATH_MIG, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_PATH_MIG_ERR}: the connection failed to migrate to its alternate path. */
    PATH_MIG_ERR(Ibv.EVENT_PATH_MIG_ERR, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_DEVICE_FATAL}: the device failed. Its objects can only be closed. */
    DEVICE_FATAL(Ibv.EVENT_DEVICE_FATAL, AsyncEventElement.DEVICE),
    /** {@code IBV_EVENT_PORT_ACTIVE}: the link came up. */
    PORT_ACTIVE(Ibv.EVENT_PORT_ACTIVE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_PORT_ERR}: the link went down. */
    PORT_ERR(Ibv.EVENT_PORT_ERR, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_LID_CHANGE}: the LID of the port changed. */
    LID_CHANGE(Ibv.EVENT_LID_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_PKEY_CHANGE}: the partition table of the port changed. */
    PKEY_CHANGE(Ibv.EVENT_PKEY_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_SM_CHANGE}: the subnet manager changed. */
    SM_CHANGE(Ibv.EVENT_SM_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_SRQ_ERR}: a shared receive queue failed. The device takes no more receives from it. */
    SRQ_ERR(Ibv.EVENT_SRQ_ERR, AsyncEventElement.SHARED_RECEIVE_QUEUE),
    /**
     * {@code IBV_EVENT_SRQ_LIMIT_REACHED}: fewer receives are posted than the armed limit. The limit is now disarmed.
     */
    SRQ_LIMIT_REACHED(Ibv.EVENT_SRQ_LIMIT_REACHED, AsyncEventElement.SHARED_RECEIVE_QUEUE),
    /**
     * {@code IBV_EVENT_QP_LAST_WQE_REACHED}: a queue pair in ERR takes no more receives from its shared receive queue.
     */
    QP_LAST_WQE_REACHED(Ibv.EVENT_QP_LAST_WQE_REACHED, AsyncEventElement.QUEUE_PAIR),
    /** {@code IBV_EVENT_CLIENT_REREGISTER}: the subnet manager asks clients to register again. */
    CLIENT_REREGISTER(Ibv.EVENT_CLIENT_REREGISTER, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_GID_CHANGE}: the GID table of the port changed. */
    GID_CHANGE(Ibv.EVENT_GID_CHANGE, AsyncEventElement.PORT),
    /** {@code IBV_EVENT_WQ_FATAL}: a work queue failed. This library does not create any. */
    WQ_FATAL(Ibv.EVENT_WQ_FATAL, AsyncEventElement.WORK_QUEUE),
    /** An event that this library does not know. It has no counterpart in C. */
    UNKNOWN(-1, AsyncEventElement.UNKNOWN);

    private static final AsyncEventType[] VALUES = values();
    private final int code;
    private final AsyncEventElement element;

    AsyncEventType(int code, AsyncEventElement element) {
        this.code = code;
        this.element = element;
    }

    /**
     * Returns the number of this constant in C.
     *
     * @return the value of the constant in {@code infiniband/verbs.h}; -1 for {@link #UNKNOWN}
     */
    public int code() {
        return code;
    }

    /**
     * Returns the kind of object that events of this type concern.
     *
     * @return the kind of object
     */
    public AsyncEventElement element() {
        return element;
    }

    /**
     * Returns the constant that has a number in C. It does not fail, because a reader of events must tolerate events of
     * newer libraries.
     *
     * @param code number of the constant in C
     * @return the constant; {@link #UNKNOWN} if none has this number
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
