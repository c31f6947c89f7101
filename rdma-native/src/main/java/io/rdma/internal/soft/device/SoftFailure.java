package io.rdma.internal.soft.device;

/** Failures of a software device that can be injected, each with the asynchronous event that reports it. */
public enum SoftFailure {
    /** All completion queues fail: {@code IBV_EVENT_CQ_ERR}. */
    COMPLETION_QUEUES,
    /** All shared receive queues fail: {@code IBV_EVENT_SRQ_ERR}. */
    SHARED_RECEIVE_QUEUES,
    /** All queue pairs end: {@code IBV_EVENT_DEVICE_FATAL}. */
    DEVICE,
    /** The link goes down: {@code IBV_EVENT_PORT_ERR}. */
    PORT_DOWN,
    /** The link comes up again: {@code IBV_EVENT_PORT_ACTIVE}. */
    PORT_UP,
    /** The GID table changes: {@code IBV_EVENT_GID_CHANGE}. */
    GIDS,
    /** The kernel takes the pages of all on-demand regions away from the device. No event reports it. */
    PAGES
}
