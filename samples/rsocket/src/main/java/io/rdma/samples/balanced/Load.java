package io.rdma.samples.balanced;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// Invariant: each question that was started is counted once in `right` or in `wrong`, whatever happens to the servers.

/**
 * Load on the servers: questions at a rate of up to a thousand a second until it is stopped. Each answer is verified.
 */
final class Load {
    private static final Duration PACE = Duration.ofMillis(1);
    private static final int AT_ONCE = 16;

    private final Mono<Void> asked;
    private final LongAdder right = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private volatile boolean stopping;

    /** Starts asking. */
    Load(DigestClient client) {
        asked = Flux.interval(PACE)
                .onBackpressureDrop()
                .takeWhile(tick -> !stopping)
                .flatMap(number -> question(client, number), AT_ONCE, 1)
                .then()
                .cache();
        asked.subscribe();
    }

    private Mono<Boolean> question(DigestClient client, long number) {
        return client.ask(number)
                .map(digest -> digest.equals(Digests.of(Long.toString(number))))
                .onErrorReturn(false)
                .doOnNext(isRight -> (isRight ? right : wrong).increment());
    }

    /**
     * Stops asking.
     *
     * @return completes when every question that was asked has ended
     */
    Mono<Void> stop() {
        stopping = true;
        return asked;
    }

    long right() {
        return right.sum();
    }

    /** Returns the number of questions with a wrong answer, or without one. */
    long wrong() {
        return wrong.sum();
    }
}
