package io.rdma.reactive;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Server that accepts connections of {@link RdmaClient}s. Immutable: each method that changes a setting returns a copy.
 */
public final class RdmaServer extends RdmaTransport<RdmaServer> {
    private final AdmissionLimits limits;
    private final Function<? super RdmaConnection, ? extends Publisher<Void>> handler;

    private RdmaServer(
            Transport transport,
            AdmissionLimits limits,
            Function<? super RdmaConnection, ? extends Publisher<Void>> handler) {
        super(transport);
        this.limits = limits;
        this.handler = handler;
    }

    @Override
    RdmaServer with(Transport changed) {
        return new RdmaServer(changed, limits, handler);
    }

    /**
     * Returns a server with the options of {@link ConnectionOptions#DEFAULT}, on the default device.
     *
     * @return a server, which closes each connection at once until {@link #handle} sets a handler
     */
    public static RdmaServer create() {
        return new RdmaServer(Transport.DEFAULT, AdmissionLimits.DEFAULT, connection -> Mono.empty());
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
        return new RdmaServer(transport, change.apply(limits), handler);
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
        return new RdmaServer(transport, limits, newHandler);
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
        return MakingMono.<DisposableServer>of(
                "rdmaBind", making -> making.made(new RunningServer(transport, limits, handler)));
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
}
