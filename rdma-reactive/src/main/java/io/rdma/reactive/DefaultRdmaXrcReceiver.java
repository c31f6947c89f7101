package io.rdma.reactive;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.engine.XrcReceiver;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link RdmaXrcReceiver} over an {@link XrcReceiver}, which holds all state. */
final class DefaultRdmaXrcReceiver implements RdmaXrcReceiver {
    private final XrcReceiver receiver;
    private final Inbound inbound;
    private final @Nullable Wiretap tap;
    private final CompletableFuture<Void> released;

    /**
     * Makes a receiver.
     *
     * @param wiretap name of the logger; null for none
     * @param release action to run, off the loop, when the receiver is closed
     */
    DefaultRdmaXrcReceiver(XrcReceiver receiver, @Nullable String wiretap, Runnable release) {
        this.receiver = receiver;
        this.inbound = new Inbound(receiver);
        this.tap = wiretap == null ? null : Wiretap.begun(wiretap, this, "BOUND", receiver);
        this.released = receiver.closed().thenRunAsync(release, Thread::startVirtualThread);
    }

    @Override
    public int number() {
        return receiver.number();
    }

    @Override
    public int maxMessageSize() {
        return receiver.maxMessageSize();
    }

    @Override
    public <T> Flux<T> receive(Function<? super ReceivedMessage, ? extends T> decoder) {
        return ReceiveFlux.decoded(inbound, tap == null ? decoder : tap.received(decoder));
    }

    @Override
    public Flux<ReceivedMessage> receiveOwned() {
        Flux<ReceivedMessage> owned = ReceiveFlux.owned(inbound, message -> message);
        return tap == null ? owned : owned.doOnNext(tap::received);
    }

    /** Returns the engine below this receiver. */
    XrcReceiver engine() {
        return receiver;
    }

    @Override
    public void dispose() {
        if (receiver.handsOver(this::dispose)) {
            return;
        }
        try {
            receiver.close();
        } finally {
            inbound.dispose(null);
        }
    }

    @Override
    public boolean isDisposed() {
        return receiver.isClosing();
    }

    @Override
    public Mono<Void> onDispose() {
        return Mono.fromFuture(() -> released, true);
    }

    @Override
    public String toString() {
        return "RdmaXrcReceiver[" + number() + "]";
    }
}
