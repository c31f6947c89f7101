package io.rdma.reactive;

import java.time.Duration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** End of extended reliable connections: an {@link RdmaXrcSender} or an {@link RdmaXrcReceiver}. */
public sealed interface RdmaXrcEnd extends Disposable permits RdmaXrcSender, RdmaXrcReceiver {
    /**
     * Returns the length of the longest message.
     *
     * @return bytes of a receive buffer
     */
    int maxMessageSize();

    /**
     * Closes this end. Operations that are not completed fail, and messages that were not received are dropped. Does
     * not wait.
     */
    @Override
    void dispose();

    /**
     * Closes this end when subscribed to, and completes when it is closed.
     *
     * @return completes empty
     */
    default Mono<Void> disposeLater() {
        return Mono.defer(() -> {
            dispose();
            return onDispose();
        });
    }

    /**
     * Completes when this end is closed, for whatever reason, and its resources are released.
     *
     * @return completes empty, never with an error
     */
    Mono<Void> onDispose();

    /**
     * Closes this end and waits. Must not be called on the loop.
     *
     * @param timeout longest wait
     * @throws IllegalStateException if the timeout expires
     */
    default void disposeNow(Duration timeout) {
        disposeLater().block(timeout);
    }

    /**
     * Closes this end and waits for at most 45 seconds, as {@link #disposeNow(Duration)} does.
     *
     * @throws IllegalStateException if it is not closed by then
     */
    default void disposeNow() {
        disposeNow(Transport.LONGEST_WAIT);
    }
}
