package io.rdma.verbs;

/** What an asynchronous event is about, {@code union element} of {@code struct ibv_async_event}. */
public enum AsyncEventElement {
    /** A {@link QueuePair}. */
    QUEUE_PAIR,
    /** A {@link CompletionQueue}. */
    COMPLETION_QUEUE,
    /** A {@link SharedReceiveQueue}. */
    SHARED_RECEIVE_QUEUE,
    /** A work queue, which this library does not make. */
    WORK_QUEUE,
    /** A port of the device. */
    PORT,
    /** The device. */
    DEVICE,
    /** An event that this library does not know. */
    UNKNOWN
}
