package io.rdma.reactive;

/** End of extended reliable connections: an {@link RdmaXrcSender} or an {@link RdmaXrcReceiver}. */
public sealed interface RdmaXrcEnd extends RdmaDisposable permits RdmaXrcSender, RdmaXrcReceiver {
    /**
     * Returns the length of the longest message.
     *
     * @return bytes of a receive buffer
     */
    int maxMessageSize();

    /**
     * Closes this end. Operations that are not completed fail, and messages that were not received are dropped. Does
     * not wait.
     */
    @Override
    void dispose();
}
