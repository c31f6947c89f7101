package io.rdma.reactive;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Server that accepts connections of {@link RdmaClient}s. Immutable: each method that changes a setting returns a copy.
 */
public final class RdmaServer extends RdmaTransport<RdmaServer> {
    private final AdmissionLimits limits;
    private final ServerHooks hooks;
    private final Function<? super RdmaConnection, ? extends Publisher<Void>> handler;

    private RdmaServer(
            Transport transport,
            AdmissionLimits limits,
            ServerHooks hooks,
            Function<? super RdmaConnection, ? extends Publisher<Void>> handler) {
        super(transport);
        this.limits = limits;
        this.hooks = hooks;
        this.handler = handler;
    }

    @Override
    RdmaServer with(Transport changed) {
        return new RdmaServer(changed, limits, hooks, handler);
    }

    /**
     * Returns a server with the options of {@link ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return a server, which closes each connection at once until {@link #handle} sets a handler
     */
    public static RdmaServer create() {
        return new RdmaServer(Transport.DEFAULT, AdmissionLimits.DEFAULT, ServerHooks.NONE, connection -> Mono.empty());
    }

    /**
     * Sets the size of the receive ring of each connection.
     *
     * @param count receive buffers posted in advance
     * @param size bytes of each; a larger message, up to {@code maxMessageSize}, is read from the peer's memory
     * @return a copy
     */
    public RdmaServer receiveBuffers(int count, int size) {
        return options(o -> o.withReceiveBuffers(count, size));
    }

    /**
     * Sets the size of the pool of send buffers of each connection.
     *
     * @param count buffers in the pool
     * @param size bytes of each
     * @return a copy
     */
    public RdmaServer sendBuffers(int count, int size) {
        return options(o -> o.withSendBuffers(count, size));
    }

    /**
     * Changes the limits on the connections that the server admits.
     *
     * @param change applied to the current limits
     * @return a copy
     */
    public RdmaServer limits(UnaryOperator<AdmissionLimits> change) {
        return new RdmaServer(transport, change.apply(limits), hooks, handler);
    }

    /**
     * Sets the handler, which is called for each connection. When the handler's publisher completes, the server closes
     * the connection. When the publisher fails, the server {@linkplain RdmaConnection#abort aborts} the connection, so
     * that the client does not treat what it received as complete.
     *
     * @param newHandler called on a thread of its own; must not return null
     * @return a copy
     */
    public RdmaServer handle(Function<? super RdmaConnection, ? extends Publisher<Void>> newHandler) {
        return new RdmaServer(transport, limits, hooks, newHandler);
    }

    /**
     * Replaces each connection by a view of it: an object that stands for the connection, passes its calls on and adds
     * something, such as the observations of {@code RdmaObservations}. Hooks and the handler get the view. Closing a
     * view must close its connection. If the function throws or returns null, the connection is
     * {@linkplain RdmaConnection#abort aborted}, the exception is logged, and the server lives on. Several views nest
     * in the order in which they were added.
     *
     * @param view gets each connection; may block
     * @return a copy
     */
    public RdmaServer mapConnection(UnaryOperator<RdmaConnection> view) {
        return with(transport.withView(view));
    }

    /**
     * Adds a hook that runs when the server listens, before the subscriber gets the server. Clients may have connected
     * by then. It runs on a virtual thread and may block. If it throws, the server is disposed, and {@link #bind} ends
     * with the exception. Several hooks run in the order in which they were added.
     *
     * @param hook gets each server
     * @return a copy
     */
    public RdmaServer doOnBound(Consumer<? super DisposableServer> hook) {
        return new RdmaServer(transport, limits, hooks.withBound(hook), handler);
    }

    /**
     * Adds a hook that runs when the server, its connections and its resources are closed, also after a hook of
     * {@link #doOnBound} threw. It runs on a virtual thread of its own and may block, in any order with
     * {@link DisposableServer#onDispose}. An exception that it throws is logged. Several hooks run in the order in
     * which they were added, up to the first that throws.
     *
     * @param hook gets each closed server
     * @return a copy
     */
    public RdmaServer doOnUnbound(Consumer<? super DisposableServer> hook) {
        return new RdmaServer(transport, limits, hooks.withUnbound(hook), handler);
    }

    /**
     * Adds a hook that runs for each connection, before the handler and on its thread. If it throws, the connection is
     * {@linkplain RdmaConnection#abort aborted}, the handler is not called, the exception is logged, and the server
     * lives on. For the end of the connection, subscribe to {@link RdmaConnection#onDispose}. Several hooks run in the
     * order in which they were added.
     *
     * @param hook gets each connection
     * @return a copy
     */
    public RdmaServer doOnConnection(Consumer<? super RdmaConnection> hook) {
        return new RdmaServer(transport, limits, hooks.withConnection(hook), handler);
    }

    /**
     * Binds and listens, once for each subscription.
     *
     * <p><b>Completes</b> with a listening server. <b>Errors</b> with {@link io.rdma.connect.RdmaConnectException} BIND
     * if the port is in use, or with {@link io.rdma.types.VerbsException}.
     *
     * @return the listening server
     */
    public Mono<DisposableServer> bind() {
        return MakingMono.<DisposableServer>of("rdmaBind", making -> {
            DisposableServer server = new RunningServer(transport, limits, hooks, handler);
            hooks.bound(server);
            making.made(server);
        });
    }

    /**
     * Binds and waits until the server listens.
     *
     * @param timeout longest wait
     * @return the listening server
     * @throws IllegalStateException if the timeout expires, if the wait is interrupted, or on a thread that must
     *     not block
     */
    public DisposableServer bindNow(Duration timeout) {
        return MakingMono.await(bind(), timeout);
    }

    /**
     * Binds and waits for at most 45 seconds until the server listens, as {@link #bindNow(Duration)} does.
     *
     * @return the listening server
     * @throws IllegalStateException as {@link #bindNow(Duration)}
     */
    public DisposableServer bindNow() {
        return bindNow(Transport.LONGEST_WAIT);
    }
}
