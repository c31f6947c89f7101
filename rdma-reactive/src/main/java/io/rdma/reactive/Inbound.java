package io.rdma.reactive;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.internal.engine.MessageQueue;
import io.rdma.internal.engine.MessageSource;
import io.rdma.internal.engine.ReceiveEnd;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;

/**
 * Owner of the receive side of a connection, socket or receiver. At most one subscriber receives at a time. After a
 * dispose or abort, the messages that remain are discarded.
 */
final class Inbound {
    private final MessageSource source;
    private final ReceiveEnd end;
    private volatile ReceiveFlux.@Nullable Receiving<?> receiver; // written under the monitor
    private ReceiveFlux.@Nullable Receiving<?> successor; // under the monitor

    Inbound(MessageSource source) {
        this.source = source;
        end = new ReceiveEnd(source);
        queue().listener(this::changed);
    }

    private void changed() {
        ReceiveFlux.Receiving<?> now = receiver;
        if (now != null) {
            now.drain();
        }
    }

    MessageQueue queue() {
        return source.receives();
    }

    /**
     * Makes a subscription the receiver, or the next receiver if the current one is cancelled and about to leave.
     *
     * @return false if another subscription receives
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

    /** Removes a subscription, which no longer polls. */
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
        if (isDisposed()) {
            discard();
        }
    }

    boolean isDisposed() {
        return end.isGivenUp();
    }

    /**
     * Ends receiving for the application. Messages that arrived and were not delivered are returned to the ring.
     *
     * @param cause of an abort, by which the receiver ends; null for a dispose
     */
    void dispose(@Nullable Throwable cause) {
        end.giveUp(cause);
        source.closed().thenRun(this::discard);
    }

    private void discard() {
        ReceiveFlux.Receiving<?> now;
        synchronized (this) {
            now = receiver;
            if (now == null && source.receives().isTerminated()) {
                queue().discard(); // no subscriber can start to receive meanwhile
            }
        }
        if (now != null) {
            now.drain(); // it discards, since only the receiver may poll
        }
    }

    void signalEnd(CoreSubscriber<?> actual) {
        Throwable failure = end.failure();
        if (failure == null) {
            actual.onComplete();
        } else {
            actual.onError(ConnectionClosedException.lost(failure));
        }
    }
}
