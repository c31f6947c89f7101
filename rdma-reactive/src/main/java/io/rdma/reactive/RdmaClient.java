package io.rdma.reactive;

import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.connect.ConnectHandler;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaConnector;
import io.rdma.internal.connect.UsedResources;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Client that connects to an {@link RdmaServer}. Immutable: each method that changes a setting returns a copy. */
public final class RdmaClient extends RdmaTransport<RdmaClient> {
    private final ConnectionHooks hooks;

    private RdmaClient(Transport transport, ConnectionHooks hooks) {
        super(transport);
        this.hooks = hooks;
    }

    @Override
    RdmaClient with(Transport changed) {
        return new RdmaClient(changed, hooks);
    }

    /**
     * Returns a client with the options of {@link ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return a client
     */
    public static RdmaClient create() {
        return new RdmaClient(Transport.DEFAULT, ConnectionHooks.NONE);
    }

    /**
     * Sets the size of the receive ring.
     *
     * @param count receive buffers posted in advance
     * @param size bytes of each; a larger message, up to {@code maxMessageSize}, is read from the peer's memory
     * @return a copy
     */
    public RdmaClient receiveBuffers(int count, int size) {
        return options(o -> o.withReceiveBuffers(count, size));
    }

    /**
     * Sets the size of the pool of send buffers.
     *
     * @param count buffers in the pool
     * @param size bytes of each
     * @return a copy
     */
    public RdmaClient sendBuffers(int count, int size) {
        return options(o -> o.withSendBuffers(count, size));
    }

    /**
     * Replaces each connection by a view of it: an object that stands for the connection, passes its calls on and adds
     * something, such as the observations of {@code RdmaObservations}. Hooks and the application get the view. Closing
     * a view must close its connection. If the function throws or returns null, the connection is
     * {@linkplain RdmaConnection#abort aborted}, and {@link #connect} ends with the exception. Several views nest in
     * the order in which they were added.
     *
     * @param view gets each connection; may block
     * @return a copy
     */
    public RdmaClient mapConnection(UnaryOperator<RdmaConnection> view) {
        return with(transport.withView(view));
    }

    /**
     * Adds a hook that runs when a connection is made, before the subscriber gets it. It runs on a virtual thread and
     * may block. If it throws, the connection is {@linkplain RdmaConnection#abort aborted}, and {@link #connect} ends
     * with the exception. It also runs for a connection that is made although its subscriber has cancelled, and that
     * is closed then. Several hooks run in the order in which they were added.
     *
     * @param hook gets each connection
     * @return a copy
     */
    public RdmaClient doOnConnected(Consumer<? super RdmaConnection> hook) {
        return new RdmaClient(transport, hooks.withConnected(hook));
    }

    /**
     * Adds a hook that runs when a connection is closed, for whatever reason, and its resources are released. It runs
     * on a virtual thread of its own and may block. It runs once for each connection that was made, also after a hook
     * of {@link #doOnConnected} threw, and in any order with {@link RdmaConnection#onDispose}. An exception that it
     * throws is logged. Several hooks run in the order in which they were added, up to the first that throws.
     *
     * @param hook gets each closed connection
     * @return a copy
     */
    public RdmaClient doOnDisconnected(Consumer<? super RdmaConnection> hook) {
        return new RdmaClient(transport, hooks.withDisconnected(hook));
    }

    /**
     * Connects once for each subscription.
     *
     * <p><b>Completes</b> with an open connection. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} or
     * {@link io.rdma.types.VerbsException}. <b>Cancel</b> stops the attempt; a connection that is established
     * nevertheless is closed. If an operator downstream may drop the connection ({@code publishOn}, {@code zip},
     * {@code timeout} …), end the chain with {@code doOnDiscard(RdmaConnection.class, RdmaConnection::dispose)}, or
     * use {@code Mono.usingWhen}.
     *
     * @return the connection
     */
    public Mono<RdmaConnection> connect() {
        return connect(address());
    }

    /**
     * Connects like {@link #connect()}, but to another address than the client's host and port.
     *
     * @param address address of the server; if it is unresolved, each subscription looks its host up
     * @return the connection
     */
    public Mono<RdmaConnection> connect(InetSocketAddress address) {
        return MakingMono.<RdmaConnection>of(
                "rdmaConnect",
                making -> connect(
                        making,
                        address.isUnresolved()
                                ? new InetSocketAddress(address.getHostString(), address.getPort())
                                : address));
    }

    /**
     * Returns the address that {@link #connect()} connects to.
     *
     * @return the client's host and port, unresolved
     */
    public InetSocketAddress address() {
        return InetSocketAddress.createUnresolved(transport.host(), transport.port());
    }

    /**
     * Connects and waits for the connection.
     *
     * @param timeout longest wait
     * @return an open connection
     * @throws IllegalStateException if the timeout expires, if the wait is interrupted, or on a thread that must
     *     not block
     */
    public RdmaConnection connectNow(Duration timeout) {
        return MakingMono.await(connect(), timeout);
    }

    /**
     * Connects and waits for the connection for at most 45 seconds, as {@link #connectNow(Duration)} does.
     *
     * @return an open connection
     * @throws IllegalStateException as {@link #connectNow(Duration)}
     */
    public RdmaConnection connectNow() {
        return connectNow(Transport.LONGEST_WAIT);
    }

    /**
     * Connects and runs a handler. When the connection ends while the handler runs, or when no connection can be made,
     * connects again as {@code retry} specifies.
     *
     * <p>Nothing is replayed. An operation that was in flight fails, perhaps after it was executed. The handler starts
     * from the beginning and decides how to recover. Keys of the peer's memory are valid for one connection only, so
     * the handler must obtain them anew.
     *
     * <p><b>Completes</b> when the handler completes; its connection is closed by then. <b>Errors</b> with the
     * error of a handler that fails while its connection is up, or with the error that {@code retry} ends with.
     * <b>Cancel</b> cancels the handler. A handler that fails or is cancelled has not finished its work, so its
     * connection is {@linkplain RdmaConnection#abort aborted}. The handler detects a lost connection by the
     * failure of the operation that it runs or awaits. A handler that awaits no operation should also subscribe
     * to {@link RdmaConnection#onDispose}.
     *
     * @param retry decides when to connect again, such as
     *     {@code Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(100)).maxBackoff(Duration.ofSeconds(5))}
     * @param handler called for each connection
     * @return completes empty
     */
    public Mono<Void> reconnect(Retry retry, Function<? super RdmaConnection, ? extends Publisher<Void>> handler) {
        return Reconnecting.run(connect(), retry, handler);
    }

    private void connect(MakingMono.Making<RdmaConnection> making, InetSocketAddress address) {
        UsedResources used = transport.resources();
        ConnectHandler handler = new ConnectHandler() {
            @Override
            public void connected(EstablishedConnection established) {
                RdmaConnection made = transport.connection(established, used::release);
                RdmaConnection connection;
                try {
                    connection = transport.viewed(made);
                    hooks.connected(connection);
                } catch (Throwable e) { // view and hook are application code
                    made.abort(e);
                    making.failed(e);
                    return;
                }
                making.made(connection);
            }

            @Override
            public void failed(RuntimeException error) {
                used.releaseAfter(error);
                making.failed(error);
            }
        };
        RdmaConnector connector =
                used.make(resources -> RdmaConnector.connect(resources, transport.options(), address, handler));
        making.onCancel(connector::cancel);
    }
}
