package io.rdma.reactive;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.ReceiveQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** Who receives from a connection: at most one subscriber at a time, and after a dispose nobody. */
final class Inbound {
    private static final Object DISCARDER = new Object();

    private final RdmaEndpoint endpoint;
    private final AtomicReference<@Nullable Object> receiver = new AtomicReference<>();
    private volatile boolean disposed;

    Inbound(RdmaEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    ReceiveQueue queue() {
        return endpoint.receives();
    }

    boolean claim(Object subscription) {
        return receiver.compareAndSet(null, subscription);
    }

    void unclaim(Object subscription) {
        receiver.compareAndSet(subscription, null);
        if (disposed) {
            discard();
        }
    }

    boolean isDisposed() {
        return disposed;
    }

    /** The application is done: what arrived and is not delivered goes back. */
    void dispose() {
        disposed = true;
        endpoint.closed().thenRun(this::discard);
    }

    private void discard() {
        Object now = receiver.get();
        if (now instanceof ReceiveFlux.Receiving<?> receiving) {
            receiving.drain(); // it discards, being the only one who may poll
        } else if (endpoint.receives().isTerminated() && receiver.compareAndSet(null, DISCARDER)) {
            queue().discard();
            receiver.set(null);
        }
    }

    void signalEnd(CoreSubscriber<?> actual) {
        Throwable failure = endpoint.failure();
        if (failure == null) {
            actual.onComplete();
        } else {
            actual.onError(
                    new ConnectionClosedException("connection is lost: " + failure.getMessage(), failure, false));
        }
    }
}
