package io.rdma.reactive;

import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Object whose close takes some time: a connection, a server, a socket or a pool. */
public interface RdmaDisposable extends Disposable {
    /** Begins to close. Does not wait. A later call does nothing. */
    @Override
    void dispose();

    /**
     * Completes when this object is closed, for whatever reason, and its resources are released.
     *
     * @return completes empty; that of a {@link DisposableServer} alone may end with an error
     */
    Mono<Void> onDispose();

    /**
     * Closes this object when subscribed to, and completes when it is closed.
     *
     * @return completes as {@link #onDispose} does
     */
    default Mono<Void> disposeLater() {
        return Mono.defer(() -> {
            dispose();
            return onDispose();
        });
    }

    /**
     * Closes this object and waits. Must not be called on the loop.
     *
     * @param timeout longest wait
     * @throws IllegalStateException if the timeout expires
     */
    default void disposeNow(Duration timeout) {
        disposeLater().block(timeout);
    }

    /**
     * Closes this object and waits for at most 45 seconds, as {@link #disposeNow(Duration)} does.
     *
     * @throws IllegalStateException if it is not closed by then
     */
    default void disposeNow() {
        disposeNow(Transport.LONGEST_WAIT);
    }
}
