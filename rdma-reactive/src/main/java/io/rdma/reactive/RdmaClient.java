package io.rdma.reactive;

import io.rdma.connect.ConnectHandler;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.EstablishedConnection;
import io.rdma.connect.RdmaConnector;
import io.rdma.engine.RdmaResources;
import io.rdma.verbs.QueuePairCapacity;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Connects to an {@link RdmaServer}; immutable, each method returns a changed copy. */
public final class RdmaClient {
    private final Transport transport;

    private RdmaClient(Transport transport) {
        this.transport = transport;
    }

    /**
     * A client with the defaults of {@link ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return a client
     */
    public static RdmaClient create() {
        return new RdmaClient(Transport.DEFAULT);
    }

    /**
     * With the server's host.
     *
     * @param host name or address
     * @return a copy
     */
    public RdmaClient host(String host) {
        return new RdmaClient(transport.withHost(host));
    }

    /**
     * With the server's port.
     *
     * @param port TCP port of the exchange
     * @return a copy
     */
    public RdmaClient port(int port) {
        return new RdmaClient(transport.withPort(port));
    }

    /**
     * With a device.
     *
     * @param name such as {@code mlx5_0} or {@code soft0}
     * @return a copy
     */
    public RdmaClient device(String name) {
        return new RdmaClient(transport.withDevice(name));
    }

    /**
     * With other depths of the queue pair.
     *
     * @param change from the present ones
     * @return a copy
     */
    public RdmaClient queuePair(UnaryOperator<QueuePairCapacity> change) {
        return options(o -> o.withQueuePair(change.apply(o.queuePair())));
    }

    /**
     * With another receive ring.
     *
     * @param count buffers posted ahead
     * @param size bytes of each; larger messages, up to {@code maxMessageSize}, are read from the peer
     * @return a copy
     */
    public RdmaClient receiveBuffers(int count, int size) {
        return options(o -> o.withReceiveBuffers(count, size));
    }

    /**
     * With another pool of send buffers.
     *
     * @param count buffers
     * @param size bytes of each
     * @return a copy
     */
    public RdmaClient sendBuffers(int count, int size) {
        return options(o -> o.withSendBuffers(count, size));
    }

    /**
     * With other options.
     *
     * @param change from the present ones
     * @return a copy
     */
    public RdmaClient options(UnaryOperator<ConnectionOptions> change) {
        return new RdmaClient(transport.withOptions(change.apply(transport.options())));
    }

    /**
     * With resources of the caller, shared among connections and closed by the caller.
     *
     * @param resources open
     * @return a copy
     */
    public RdmaClient resources(RdmaResources resources) {
        return new RdmaClient(transport.withResources(resources));
    }

    /**
     * Connects, at each subscription.
     *
     * <p><b>Completes</b> with an open connection. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} or a
     * {@link io.rdma.verbs.VerbsException}. <b>Cancel</b> gives up; a connection that comes nevertheless is closed.
     * Where operators behind this one may drop it ({@code publishOn}, {@code zip}, {@code timeout} …) end the chain
     * with {@code doOnDiscard(RdmaConnection.class, RdmaConnection::dispose)}, or use {@code Mono.usingWhen}.
     *
     * @return the connection
     */
    public Mono<RdmaConnection> connect() {
        return MakingMono.<RdmaConnection>of("rdmaConnect", this::connect);
    }

    /**
     * Connects and waits.
     *
     * @param timeout for the wait
     * @return open
     * @throws IllegalStateException if time is up, or on a thread that must not block
     */
    public RdmaConnection connectNow(Duration timeout) {
        return MakingMono.await(connect(), timeout);
    }

    /**
     * Connects and runs a handler; when the connection ends under it, or none can be made, does so again as
     * {@code retry} says.
     *
     * <p>Nothing is replayed: an operation that was under way fails, perhaps after it was executed, and the handler,
     * which begins anew, decides what to do about it. Keys of the peer's memory are those of one connection, and so
     * belong into the handler.
     *
     * <p><b>Completes</b> when the handler does; its connection is closed then. <b>Errors</b> with what the handler
     * fails with while its connection stands, or with what {@code retry} ends with. <b>Cancel</b> cancels the handler.
     * A handler that fails or is cancelled has not come to its end, so its connection is
     * {@linkplain RdmaConnection#abort given up}. The handler learns of a loss by the failure of what it does or waits
     * for; one that only waits adds {@link RdmaConnection#onDispose}.
     *
     * @param retry when to connect again, such as {@code Retry.backoff(Long.MAX_VALUE,
     *     Duration.ofMillis(100)).maxBackoff(Duration.ofSeconds(5))}
     * @param handler called for each connection
     * @return to be subscribed to
     */
    public Mono<Void> reconnect(Retry retry, Function<? super RdmaConnection, ? extends Publisher<Void>> handler) {
        return Reconnecting.run(connect(), retry, handler);
    }

    private void connect(MakingMono.Making<RdmaConnection> making) {
        RdmaResources resources = transport.resources();
        ConnectHandler handler = new ConnectHandler() {
            @Override
            public void connected(EstablishedConnection connection) {
                making.made(new DefaultRdmaConnection(connection, () -> transport.release(resources)));
            }

            @Override
            public void failed(RuntimeException error) {
                try {
                    transport.release(resources);
                } catch (Throwable e) { // the subscriber waits for the failure of the connect
                    error.addSuppressed(e);
                }
                making.failed(error);
            }
        };
        making.onCancel(RdmaConnector.connect(resources, transport.options(), transport.address(), handler)::cancel);
    }
}
