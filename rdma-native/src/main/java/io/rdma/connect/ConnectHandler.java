package io.rdma.connect;

/** Learns how a connect ends: exactly one call, also after a cancel, on a thread that may block. */
public interface ConnectHandler {
    /**
     * The connection is there. If nobody wants it any more the handler must close it.
     *
     * @param connection open
     */
    void connected(EstablishedConnection connection);

    /**
     * There is none. Nothing of the attempt uses the resources any more but perhaps an endpoint that drains, which
     * {@link io.rdma.engine.RdmaResources#close} waits for.
     *
     * @param error {@link RdmaConnectException}, or a verbs error
     */
    void failed(RuntimeException error);
}
