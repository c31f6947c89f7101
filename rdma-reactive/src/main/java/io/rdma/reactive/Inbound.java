package io.rdma.reactive;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.engine.ReceiveQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/** Who receives from a connection: at most one subscriber at a time, and after a dispose nobody. */
final class Inbound {
    private final RdmaEndpoint endpoint;
    private volatile ReceiveFlux.@Nullable Receiving<?> receiver; // written under the monitor
    private ReceiveFlux.@Nullable Receiving<?> successor; // under the monitor
    private volatile boolean disposed;

    Inbound(RdmaEndpoint endpoint) {
        this.endpoint = endpoint;
        queue().listener(this::changed);
    }

    private void changed() {
        ReceiveFlux.Receiving<?> now = receiver;
        if (now != null) {
            now.drain();
        }
    }

    ReceiveQueue queue() {
        return endpoint.receives();
    }

    /**
     * Makes a subscription the receiver, or the next one if the present one is cancelled and about to go.
     *
     * @return false if somebody receives
     */
    synchronized boolean claim(ReceiveFlux.Receiving<?> subscription) {
        if (receiver == null) {
            receiver = subscription;
            return true;
        }
        if (receiver.isCancelled() && successor == null) {
            successor = subscription;
            return true;
        }
        return false;
    }

    boolean isReceiver(ReceiveFlux.Receiving<?> subscription) {
        return receiver == subscription;
    }

    /** The subscription polls no more. */
    void unclaim(ReceiveFlux.Receiving<?> subscription) {
        synchronized (this) {
            if (successor == subscription) {
                successor = null;
                return;
            }
            receiver = successor;
            successor = null;
        }
        changed();
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
        ReceiveFlux.Receiving<?> now;
        synchronized (this) {
            now = receiver;
            if (now == null && endpoint.receives().isTerminated()) {
                queue().discard(); // nobody can start to receive meanwhile
            }
        }
        if (now != null) {
            now.drain(); // it discards, being the only one who may poll
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
