package io.rdma.cm;

/** Learns how a connect ends: exactly one call, on a thread that may block briefly. */
public interface ConnectHandler {
    /**
     * The connection is there. If nobody wants it any more the handler must close it.
     *
     * @param connection open
     */
    void connected(EstablishedConnection connection);

    /**
     * There is none.
     *
     * @param error {@link RdmaConnectException}, or a verbs error
     */
    void failed(RuntimeException error);
}
