package io.rdma.reactive;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.DatagramBinding;
import io.rdma.engine.RdmaResources;
import io.rdma.verbs.QueuePairCapacity;
import java.time.Duration;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** Binds an {@link RdmaDatagramSocket} to an address; immutable, each method returns a changed copy. */
public final class RdmaDatagramBinder {
    private final Transport transport;

    RdmaDatagramBinder(Transport transport) {
        this.transport = transport;
    }

    /**
     * With the local host.
     *
     * @param host name or address of the device's; not the wildcard
     * @return a copy
     */
    public RdmaDatagramBinder host(String host) {
        return new RdmaDatagramBinder(transport.withHost(host));
    }

    /**
     * With the local port.
     *
     * @param port in RDMA CM's UDP port space, 0 for a free one
     * @return a copy
     */
    public RdmaDatagramBinder port(int port) {
        return new RdmaDatagramBinder(transport.withPort(port));
    }

    /**
     * With a device.
     *
     * @param name such as {@code mlx5_0} or {@code soft0}
     * @return a copy
     */
    public RdmaDatagramBinder device(String name) {
        return new RdmaDatagramBinder(transport.withDevice(name));
    }

    /**
     * With other depths of the queue pair.
     *
     * @param change from the present ones
     * @return a copy
     */
    public RdmaDatagramBinder queuePair(UnaryOperator<QueuePairCapacity> change) {
        return options(o -> o.withQueuePair(change.apply(o.queuePair())));
    }

    /**
     * With another number of receive buffers, each as large as a datagram can be: what arrives while all are taken is
     * lost.
     *
     * @param count buffers posted ahead
     * @return a copy
     */
    public RdmaDatagramBinder receiveBuffers(int count) {
        return options(o -> o.withReceiveBuffers(count, o.receiveBufferSize()));
    }

    /**
     * With another number of send buffers, each as large as a datagram can be.
     *
     * @param count buffers
     * @return a copy
     */
    public RdmaDatagramBinder sendBuffers(int count) {
        return options(o -> o.withSendBuffers(count, o.sendBufferSize()));
    }

    /**
     * With other options, of which count the depths, the numbers of buffers, {@code signalEvery},
     * {@code handshakeTimeout} for look-ups and joins, and {@code drainTimeout}.
     *
     * @param change from the present ones
     * @return a copy
     */
    public RdmaDatagramBinder options(UnaryOperator<ConnectionOptions> change) {
        return new RdmaDatagramBinder(transport.withOptions(change.apply(transport.options())));
    }

    /**
     * With resources of the caller, shared among connections and closed by the caller.
     *
     * @param resources open
     * @return a copy
     */
    public RdmaDatagramBinder resources(RdmaResources resources) {
        return new RdmaDatagramBinder(transport.withResources(resources));
    }

    /**
     * Binds, at each subscription.
     *
     * <p><b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} BIND if the port is in use or the address of
     * no RDMA device, or a {@link io.rdma.verbs.RdmaException} where there is no connection manager.
     *
     * @return bound
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
     * Binds, and waits until it is.
     *
     * @param timeout for the wait
     * @return bound
     * @throws IllegalStateException if time is up, or on a thread that must not block
     */
    public RdmaDatagramSocket bindNow(Duration timeout) {
        return MakingMono.await(bind(), timeout);
    }
}
