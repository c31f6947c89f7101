package io.rdma.samples.balanced;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

// Invariant: a question that was begun ends in `right` or in `wrong`, whatever becomes of servers.

/** Asks one question after the other, up to a thousand a second, until it is told to stop; looks at each answer. */
final class Load {
    private static final Duration PACE = Duration.ofMillis(1);
    private static final int AT_ONCE = 16;

    private final Mono<Void> asked;
    private final LongAdder right = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private volatile boolean stopping;

    /** Starts. */
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
     * Asks nothing more.
     *
     * @return completes when what was asked is answered
     */
    Mono<Void> stop() {
        stopping = true;
        return asked;
    }

    long right() {
        return right.sum();
    }

    /** Questions with a wrong answer, or without one. */
    long wrong() {
        return wrong.sum();
    }
}
