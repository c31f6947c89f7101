package io.rdma.reactive;

import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** TCK of Reactive Streams for the send of a publisher's messages. */
public class SendPublisherTckTest extends EmptyTck {
    @Override
    Mono<Void> operation(TckPair.Ends ends) {
        return ends.client().send(Flux.range(0, TckPair.MESSAGES / 2), (n, target) -> 1 + n % 60);
    }
}
