package io.rdma.types;

/** The kind of object that an asynchronous event concerns, {@code union element} of {@code struct ibv_async_event}. */
public enum AsyncEventElement {
    /** A {@code QueuePair}. */
    QUEUE_PAIR,
    /** A {@code CompletionQueue}. */
    COMPLETION_QUEUE,
    /** A {@code SharedReceiveQueue}. */
    SHARED_RECEIVE_QUEUE,
    /** A work queue. This library does not create any. */
    WORK_QUEUE,
    /** A port of the device. */
    PORT,
    /** The device. */
    DEVICE,
    /** Not known: the event is one that this library does not know. */
    UNKNOWN
}
