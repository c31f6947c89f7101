package io.rdma.reactive;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** TCK of Reactive Streams for an operation without a result. The TCK skips the rules whose test needs an element. */
public abstract class EmptyTck extends ConnectionTck<Void> {
    EmptyTck() {
        super(0);
    }

    /** Returns the operation, on a connection of its own. */
    abstract Mono<Void> operation(TckPair.Ends ends);

    @Override
    public Publisher<Void> createPublisher(long elements) {
        return operation(pair.connect());
    }
}
