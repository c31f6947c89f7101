package io.rdma.connect;

/** How a fast sender is kept from running over a slow receiver. */
public enum FlowControl {
    /**
     * Each side counts the receives that the other one has posted, and sends no more messages than that; each message
     * has a header of 16 bytes. Holds if both sides say so, else the connection is {@link #PLAIN}; but where receive
     * buffers are shared this is as {@link #CREDITS_REQUIRED}.
     */
    CREDITS,
    /** As {@link #CREDITS}, and a peer that does not count is refused. */
    CREDITS_REQUIRED,
    /**
     * Messages are payload only, and a sender without a receive on the other side tries again (receiver not ready,
     * {@code rnrRetry}). Where receive buffers are shared, one that sends more than its window while the application
     * does not take it is ended.
     */
    PLAIN
}
