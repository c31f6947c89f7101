package io.rdma.internal.soft.device;

/** What of a software device can be broken on demand, with the asynchronous event that tells of it. */
public enum SoftFailure {
    /** All completion queues: {@code IBV_EVENT_CQ_ERR}. */
    COMPLETION_QUEUES,
    /** All shared receive queues: {@code IBV_EVENT_SRQ_ERR}. */
    SHARED_RECEIVE_QUEUES,
    /** All queue pairs: {@code IBV_EVENT_DEVICE_FATAL}. */
    DEVICE,
    /** The link is down: {@code IBV_EVENT_PORT_ERR}. */
    PORT_DOWN,
    /** The link is up again: {@code IBV_EVENT_PORT_ACTIVE}. */
    PORT_UP,
    /** The table of GIDs has changed: {@code IBV_EVENT_GID_CHANGE}. */
    GIDS
}
