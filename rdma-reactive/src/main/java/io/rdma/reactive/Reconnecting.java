package io.rdma.reactive;

import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

// Invariants
// - Each attempt has a connection of its own, which is closed before the next one begins.
// - Only the end of a connection under the handler, or that none could be made, is asked of the Retry. What the handler
// throws for reasons of its own passes by it, wrapped, and is unwrapped behind it.

/** Runs a handler on one connection after another until it ends. */
final class Reconnecting {
    /** A failure that no new connection would mend. */
    private static final class HandlerFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        final transient Throwable failure;

        HandlerFailed(Throwable failure) {
            super(null, failure, false, false);
            this.failure = failure;
        }
    }

    private Reconnecting() {}

    /** The handler did not come to its end: the peer must not take for whole what it got. */
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
                                .onErrorMap(error -> !connection.endpoint().hasEndedWith(error), HandlerFailed::new),
                        RdmaConnection::disposeLater,
                        Reconnecting::giveUp,
                        connection -> giveUp(connection, new CancellationException("the handler was cancelled")))
                .retryWhen(ofLosses)
                .onErrorMap(HandlerFailed.class, failed -> failed.failure);
    }
}
