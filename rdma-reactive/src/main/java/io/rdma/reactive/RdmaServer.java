package io.rdma.reactive;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.RdmaResources;
import io.rdma.verbs.QueuePairCapacity;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Accepts connections of {@link RdmaClient}s; immutable, each method returns a changed copy. */
public final class RdmaServer {
    private final Transport transport;
    private final AdmissionLimits limits;
    private final Function<? super RdmaConnection, ? extends Publisher<Void>> handler;

    private RdmaServer(
            Transport transport,
            AdmissionLimits limits,
            Function<? super RdmaConnection, ? extends Publisher<Void>> handler) {
        this.transport = transport;
        this.limits = limits;
        this.handler = handler;
    }

    /**
     * A server with the defaults of {@link ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return a server; it closes every connection at once until it has a handler
     */
    public static RdmaServer create() {
        return new RdmaServer(Transport.DEFAULT, AdmissionLimits.DEFAULT, connection -> Mono.empty());
    }

    /**
     * With the local host to listen on.
     *
     * @param host name or address
     * @return a copy
     */
    public RdmaServer host(String host) {
        return new RdmaServer(transport.withHost(host), limits, handler);
    }

    /**
     * With the port to listen on.
     *
     * @param port TCP port of the exchange, 0 for a free one
     * @return a copy
     */
    public RdmaServer port(int port) {
        return new RdmaServer(transport.withPort(port), limits, handler);
    }

    /**
     * With a device.
     *
     * @param name such as {@code mlx5_0} or {@code soft0}
     * @return a copy
     */
    public RdmaServer device(String name) {
        return new RdmaServer(transport.withDevice(name), limits, handler);
    }

    /**
     * With other depths of the queue pair.
     *
     * @param change from the present ones
     * @return a copy
     */
    public RdmaServer queuePair(UnaryOperator<QueuePairCapacity> change) {
        return options(o -> o.withQueuePair(change.apply(o.queuePair())));
    }

    /**
     * With another receive ring.
     *
     * @param count buffers posted ahead
     * @param size bytes of each; larger messages, up to {@code maxMessageSize}, are read from the peer
     * @return a copy
     */
    public RdmaServer receiveBuffers(int count, int size) {
        return options(o -> o.withReceiveBuffers(count, size));
    }

    /**
     * With another pool of send buffers.
     *
     * @param count buffers
     * @param size bytes of each
     * @return a copy
     */
    public RdmaServer sendBuffers(int count, int size) {
        return options(o -> o.withSendBuffers(count, size));
    }

    /**
     * With other options.
     *
     * @param change from the present ones
     * @return a copy
     */
    public RdmaServer options(UnaryOperator<ConnectionOptions> change) {
        return new RdmaServer(transport.withOptions(change.apply(transport.options())), limits, handler);
    }

    /**
     * With resources of the caller, shared among connections and closed by the caller.
     *
     * @param resources open
     * @return a copy
     */
    public RdmaServer resources(RdmaResources resources) {
        return new RdmaServer(transport.withResources(resources), limits, handler);
    }

    /**
     * With other limits on what it admits.
     *
     * @param change from the present ones
     * @return a copy
     */
    public RdmaServer limits(UnaryOperator<AdmissionLimits> change) {
        return new RdmaServer(transport, change.apply(limits), handler);
    }

    /**
     * With a handler, called for each connection. When its publisher completes, the connection is closed; if it fails,
     * that connection is {@linkplain RdmaConnection#abort given up}, so that what the client received does not look
     * whole.
     *
     * @param newHandler called on a thread of its own; must not return null
     * @return a copy
     */
    public RdmaServer handle(Function<? super RdmaConnection, ? extends Publisher<Void>> newHandler) {
        return new RdmaServer(transport, limits, newHandler);
    }

    /**
     * Listens, at each subscription.
     *
     * <p><b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} BIND if the port is in use, or a
     * {@link io.rdma.verbs.VerbsException}.
     *
     * @return listening
     */
    public Mono<DisposableServer> bind() {
        return MakingMono.<DisposableServer>of(
                "rdmaBind", making -> making.made(new RunningServer(transport, limits, handler)));
    }

    /**
     * Listens, and waits until it does.
     *
     * @param timeout for the wait
     * @return listening
     * @throws IllegalStateException if time is up, or on a thread that must not block
     */
    public DisposableServer bindNow(Duration timeout) {
        return MakingMono.await(bind(), timeout);
    }
}
