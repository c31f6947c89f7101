package io.rdma.connect;

/** Mechanism that keeps a fast sender from overrunning a slow receiver. */
public enum FlowControl {
    /**
     * Each side counts the receives that its peer has posted, and sends no more messages than that. Each message has a
     * header of 16 bytes. This holds if both sides offer it, else the connection is {@link #PLAIN}. Where receive
     * buffers are shared, it is as {@link #CREDITS_REQUIRED}.
     */
    CREDITS,
    /** As {@link #CREDITS}, but a peer that does not count credits is refused. */
    CREDITS_REQUIRED,
    /**
     * Messages are payload only. If the peer has no receive posted, the device sends the message again (receiver not
     * ready, {@code rnrRetry}). Where receive buffers are shared, a connection is ended if its peer sends more than its
     * window while the application does not take the messages.
     */
    PLAIN
}
