package io.rdma.reactive;

import io.rdma.internal.engine.EventBuffer;
import io.rdma.internal.os.StackRoom;
import io.rdma.verbs.AsyncEvent;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;

/** Flux of the asynchronous events of a device. Each subscriber has a buffer of its own. */
final class EventFlux extends Flux<AsyncEvent> {
    private final Function<Runnable, EventBuffer> source;

    EventFlux(Function<Runnable, EventBuffer> source) {
        this.source = source;
    }

    @Override
    public void subscribe(CoreSubscriber<? super AsyncEvent> actual) {
        StackRoom.require(StackRoom.CLOSE); // the subscriber requests meanwhile
        new Watching(source, actual).start();
    }

    private static final class Watching extends DrainedSubscription<AsyncEvent, AsyncEvent> {
        private final EventBuffer buffer;

        Watching(Function<Runnable, EventBuffer> source, CoreSubscriber<? super AsyncEvent> actual) {
            super(actual);
            buffer = source.apply(this::drain);
        }

        @Override
        boolean isTerminated() {
            return buffer.isEnded();
        }

        @Override
        @Nullable
        AsyncEvent poll() {
            return buffer.poll();
        }

        @Override
        boolean isEmpty() {
            return buffer.isEmpty();
        }

        @Override
        boolean deliver(AsyncEvent event) {
            return signal(event);
        }

        @Override
        void signalEnd() {
            RuntimeException failure = buffer.failure();
            if (failure == null) {
                actual.onComplete();
            } else {
                actual.onError(failure);
            }
        }

        @Override
        void release() {
            buffer.close();
        }
    }
}
