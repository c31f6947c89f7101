package io.rdma.reactive.call;

import io.rdma.reactive.MessageCodec;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Handler of the calls of one name.
 *
 * @param <Q> type of the requests
 * @param <A> type of the answers
 * @param requests codec of the requests
 * @param answers codec of the answers
 * @param handler makes the answer
 */
record CallHandler<Q, A>(MessageCodec<Q> requests, MessageCodec<A> answers, Function<? super Q, Mono<A>> handler) {}
