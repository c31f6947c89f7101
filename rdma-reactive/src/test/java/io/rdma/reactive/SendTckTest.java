package io.rdma.reactive;

import reactor.core.publisher.Mono;

/** TCK of Reactive Streams for the send of one message. */
public class SendTckTest extends EmptyTck {
    @Override
    Mono<Void> operation(TckPair.Ends ends) {
        return ends.client().send(8, target -> target.fill((byte) 1));
    }
}
