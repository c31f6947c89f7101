package io.rdma.reactive;

import reactor.core.publisher.Mono;

/** One message, by the rules of Reactive Streams. */
public class SendTckTest extends EmptyTck {
    @Override
    Mono<Void> operation(TckPair.Ends ends) {
        return ends.client().send(8, target -> target.fill((byte) 1));
    }
}
