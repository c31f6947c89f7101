package io.rdma.reactive;

import io.rdma.internal.engine.Endpoint;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

// Invariants
// - Each attempt has a connection of its own, which is closed before the next one begins.
// - The Retry decides only on two failures: the connection ended while the handler ran, or no connection could be made.
// Any other error of the handler bypasses the Retry. It is wrapped before the Retry and unwrapped after it.

/** Loop that runs a handler on one connection after another until the handler ends. */
final class Reconnecting {
    /** Failure that a new connection would not cure. */
    private static final class HandlerFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final transient Throwable failure;

        HandlerFailed(Throwable failure) {
            super(null, failure, false, false);
            this.failure = failure;
        }
    }

    private Reconnecting() {}

    /**
     * Aborts a connection whose handler did not finish, so that the peer does not treat what it received as complete.
     */
    private static Mono<Void> giveUp(RdmaConnection connection, Throwable cause) {
        return Mono.defer(() -> {
            connection.abort(cause instanceof HandlerFailed failed ? failed.failure : cause);
            return connection.onDispose();
        });
    }

    static Mono<Void> run(
            Mono<RdmaConnection> connect,
            Retry retry,
            Function<? super RdmaConnection, ? extends Publisher<Void>> handler) {
        Retry ofLosses = Retry.from(signals -> retry.generateCompanion(signals.map(signal -> {
            if (signal.failure() instanceof HandlerFailed failed) {
                throw failed;
            }
            return signal;
        })));
        return Mono.usingWhen(
                        connect,
                        connection -> Mono.defer(() -> Mono.from(handler.apply(connection)))
                                .onErrorMap(
                                        error -> !Endpoint.of(connection.endpoint())
                                                .hasEndedWith(error),
                                        HandlerFailed::new),
                        RdmaConnection::disposeLater,
                        Reconnecting::giveUp,
                        connection -> giveUp(connection, new CancellationException("the handler was cancelled")))
                .retryWhen(ofLosses)
                .onErrorMap(HandlerFailed.class, failed -> failed.failure);
    }
}
