package io.rdma.reactive;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.types.QueuePairCapacity;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Settings that clients, servers and binders have in common. Immutable: each method returns a copy.
 *
 * @param <T> type of the copy
 */
public abstract sealed class RdmaTransport<T>
        permits RdmaClient, RdmaServer, RdmaDatagramBinder, RdmaXrcClient, RdmaXrcServer {
    final Transport transport;

    RdmaTransport(Transport transport) {
        this.transport = transport;
    }

    abstract T with(Transport changed);

    /**
     * Sets the host: for a client that of the server, otherwise the local one.
     *
     * @param host name or address; for datagrams an address of the device, not the wildcard
     * @return a copy
     */
    public T host(String host) {
        return with(transport.withHost(host));
    }

    /**
     * Sets the port: for a client that of the server, otherwise the local one, where 0 selects a free port.
     *
     * @param port TCP port of the exchange; for datagrams a port in RDMA CM's UDP port space
     * @return a copy
     */
    public T port(int port) {
        return with(transport.withPort(port));
    }

    /**
     * Sets the device to use.
     *
     * @param name name of the device, such as {@code mlx5_0} or {@code soft0}
     * @return a copy
     */
    public T device(String name) {
        return with(transport.withDevice(name));
    }

    /**
     * Changes the capacity of the queue pair of each connection or socket.
     *
     * @param change applied to the current capacity
     * @return a copy
     */
    public T queuePair(UnaryOperator<QueuePairCapacity> change) {
        return options(o -> o.withQueuePair(change.apply(o.queuePair())));
    }

    /**
     * Changes the options of the connections. A datagram socket uses the depths, the numbers of buffers,
     * {@code signalEvery}, {@code handshakeTimeout} for look-ups and joins, and {@code drainTimeout}; it ignores the
     * others.
     *
     * @param change applied to the current options
     * @return a copy
     */
    public T options(UnaryOperator<ConnectionOptions> change) {
        return with(transport.withOptions(change.apply(transport.options())));
    }

    /**
     * Uses resources of the caller instead of those that the process shares. The caller closes them.
     *
     * @param resources open resources
     * @return a copy
     */
    public T resources(RdmaResources resources) {
        return with(transport.withResources(resources));
    }

    /**
     * Logs connections and sockets as {@link #wiretap(String)} does, with the name of this class as category.
     *
     * @param enable whether to log; if false, an earlier wiretap is removed
     * @return a copy
     */
    public T wiretap(boolean enable) {
        return with(transport.withWiretap(enable ? getClass().getName() : null));
    }

    /**
     * Logs the events of each connection or socket, its operations, and the first 256 bytes of each message that it
     * sends or receives, as a hexadecimal dump, but not what a byte stream sends. The log contains the data of the
     * application. Nothing is tested or logged without a wiretap.
     *
     * @param category name of the {@link System.Logger}, which logs at level {@code DEBUG}
     * @return a copy
     */
    public T wiretap(String category) {
        return with(transport.withWiretap(Objects.requireNonNull(category, "category")));
    }
}
