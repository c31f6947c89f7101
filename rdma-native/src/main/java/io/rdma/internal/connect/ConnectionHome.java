package io.rdma.internal.connect;

import io.rdma.internal.engine.DeviceResources;

/**
 * Place of one connection that a listener makes: the resources to which it belongs, and the handler of its outcome. One
 * of the two methods of the outcome is called, exactly once, on a thread that may block.
 */
public interface ConnectionHome {
    /**
     * Returns the resources of the connection: of the listener's device, but perhaps of another loop.
     *
     * @return open
     */
    DeviceResources resources();

    /**
     * Takes the connection.
     *
     * @param connection open
     */
    void connected(EstablishedConnection connection);

    /**
     * Takes the reason for which the client was not connected. The listener has it in its log.
     *
     * @param cause of the failure
     */
    void failed(Throwable cause);
}
