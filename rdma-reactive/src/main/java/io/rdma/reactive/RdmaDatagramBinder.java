package io.rdma.reactive;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.DatagramBinding;
import io.rdma.engine.RdmaResources;
import io.rdma.types.QueuePairCapacity;
import java.time.Duration;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Binder of an {@link RdmaDatagramSocket} to an address. Immutable: each method that changes a setting returns a copy.
 */
public final class RdmaDatagramBinder {
    private final Transport transport;

    RdmaDatagramBinder(Transport transport) {
        this.transport = transport;
    }

    /**
     * Sets the local host.
     *
     * @param host name or address of the device; not the wildcard
     * @return a copy
     */
    public RdmaDatagramBinder host(String host) {
        return new RdmaDatagramBinder(transport.withHost(host));
    }

    /**
     * Sets the local port.
     *
     * @param port port in RDMA CM's UDP port space; 0 selects a free port
     * @return a copy
     */
    public RdmaDatagramBinder port(int port) {
        return new RdmaDatagramBinder(transport.withPort(port));
    }

    /**
     * Sets the device to use.
     *
     * @param name name of the device, such as {@code mlx5_0} or {@code soft0}
     * @return a copy
     */
    public RdmaDatagramBinder device(String name) {
        return new RdmaDatagramBinder(transport.withDevice(name));
    }

    /**
     * Changes the capacity of the queue pair.
     *
     * @param change applied to the current capacity
     * @return a copy
     */
    public RdmaDatagramBinder queuePair(UnaryOperator<QueuePairCapacity> change) {
        return options(o -> o.withQueuePair(change.apply(o.queuePair())));
    }

    /**
     * Sets the number of receive buffers, each as large as the longest datagram. Datagrams that arrive while all of
     * them are occupied are lost.
     *
     * @param count buffers posted in advance
     * @return a copy
     */
    public RdmaDatagramBinder receiveBuffers(int count) {
        return options(o -> o.withReceiveBuffers(count, o.receiveBufferSize()));
    }

    /**
     * Sets the number of send buffers, each as large as the longest datagram.
     *
     * @param count buffers in the pool
     * @return a copy
     */
    public RdmaDatagramBinder sendBuffers(int count) {
        return options(o -> o.withSendBuffers(count, o.sendBufferSize()));
    }

    /**
     * Changes the options. A datagram socket uses the depths, the numbers of buffers, {@code signalEvery},
     * {@code handshakeTimeout} for look-ups and joins, and {@code drainTimeout}; it ignores the others.
     *
     * @param change applied to the current options
     * @return a copy
     */
    public RdmaDatagramBinder options(UnaryOperator<ConnectionOptions> change) {
        return new RdmaDatagramBinder(transport.withOptions(change.apply(transport.options())));
    }

    /**
     * Uses resources of the caller. Sockets and connections share them, and the caller closes them.
     *
     * @param resources open resources
     * @return a copy
     */
    public RdmaDatagramBinder resources(RdmaResources resources) {
        return new RdmaDatagramBinder(transport.withResources(resources));
    }

    /**
     * Binds once for each subscription.
     *
     * <p><b>Completes</b> with a bound socket. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} BIND if
     * the port is in use or the address belongs to no RDMA device, or with {@link io.rdma.types.RdmaException} if there
     * is no connection manager.
     *
     * @return the bound socket
     */
    public Mono<RdmaDatagramSocket> bind() {
        return MakingMono.<RdmaDatagramSocket>of("rdmaBindDatagram", making -> making.made(bound()));
    }

    private RdmaDatagramSocket bound() {
        RdmaResources resources = transport.resources();
        try {
            DatagramBinding binding = DatagramBinding.bind(resources, transport.options(), transport.address());
            return new DefaultRdmaDatagramSocket(binding, () -> transport.release(resources));
        } catch (Throwable e) {
            transport.release(resources);
            throw e;
        }
    }

    /**
     * Binds and waits until the socket is bound.
     *
     * @param timeout longest wait
     * @return the bound socket
     * @throws IllegalStateException if the timeout expires, if the wait is interrupted, or on a thread that must
     *     not block
     */
    public RdmaDatagramSocket bindNow(Duration timeout) {
        return MakingMono.await(bind(), timeout);
    }
}
