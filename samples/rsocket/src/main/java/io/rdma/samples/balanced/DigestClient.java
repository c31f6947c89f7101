package io.rdma.samples.balanced;

import io.rsocket.Payload;
import io.rsocket.core.RSocketClient;
import io.rsocket.loadbalance.LoadbalanceRSocketClient;
import io.rsocket.loadbalance.LoadbalanceTarget;
import io.rsocket.util.DefaultPayload;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Asks one of several servers after the other; a question that failed is asked again, of whoever is next. Counts who
 * answered.
 */
final class DigestClient implements Disposable {
    /** For one attempt, after which another server is asked. */
    private static final Duration ATTEMPT = Duration.ofSeconds(10);

    /** For all attempts at a question. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final RSocketClient servers;
    private final Map<String, LongAdder> answers = new ConcurrentSkipListMap<>();
    private final LongAdder failures = new LongAdder();

    /** @param targets the servers there are, as often as that changes: whatever discovers them */
    DigestClient(Publisher<List<LoadbalanceTarget>> targets) {
        servers = LoadbalanceRSocketClient.builder(targets)
                .roundRobinLoadbalanceStrategy()
                .build();
    }

    /**
     * The digest of a number. Digests can be asked for twice: for an order or a payment, repeating would be for the
     * application to decide.
     */
    Mono<String> ask(long number) {
        return servers.requestResponse(Mono.fromSupplier(() -> DefaultPayload.create(Long.toString(number))))
                .map(this::counted)
                .timeout(ATTEMPT)
                .doOnError(error -> failures.increment())
                .retryWhen(Retry.backoff(Long.MAX_VALUE, Duration.ofMillis(5)).maxBackoff(Duration.ofMillis(500)))
                .timeout(PATIENCE);
    }

    private String counted(Payload answer) {
        String digest = answer.getDataUtf8();
        answers.computeIfAbsent(answer.getMetadataUtf8(), name -> new LongAdder())
                .increment();
        answer.release();
        return digest;
    }

    /** Of one server, by its name. */
    long answersOf(String name) {
        LongAdder count = answers.get(name);
        return count == null ? 0 : count.sum();
    }

    /** Who answered how often, in a line. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder();
        answers.forEach((name, count) -> line.append(String.format("%s %6d   ", name, count.sum())));
        return line.append("failed attempts ").append(failures()).toString();
    }

    /** Attempts that came to nothing, each of which was followed by another. */
    long failures() {
        return failures.sum();
    }

    @Override
    public void dispose() {
        servers.dispose();
    }
}
