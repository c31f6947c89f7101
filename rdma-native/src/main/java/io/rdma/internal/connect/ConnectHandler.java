package io.rdma.internal.connect;

import io.rdma.connect.RdmaConnectException;

/**
 * Handler of the outcome of a connect. One of its methods is called, exactly once, also after a cancel, on a thread
 * that may block.
 */
public interface ConnectHandler {
    /**
     * Takes the connection. If the application does not need it any more, the handler must close it.
     *
     * @param connection open
     */
    void connected(EstablishedConnection connection);

    /**
     * Takes the failure of the connect. Nothing of the attempt uses the resources any more, except perhaps an endpoint
     * that drains, for which {@link io.rdma.internal.engine.DeviceResources#close} waits.
     *
     * @param error {@link RdmaConnectException}, or a verbs error
     */
    void failed(RuntimeException error);
}
