package io.rdma.samples.balanced;

import io.rdma.connect.AddressSupplier;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rsocket.Payload;
import io.rsocket.core.RSocketClient;
import io.rsocket.loadbalance.LoadbalanceRSocketClient;
import io.rsocket.util.DefaultPayload;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * A client that asks several servers in turn. A question that failed is asked again, of the next server. Counts the
 * answers of each server.
 */
final class DigestClient implements Disposable {
    /** Time after which the servers are looked up again. */
    private static final Duration REFRESH = Duration.ofSeconds(1);

    /** Time limit of one attempt, after which another server is asked. */
    private static final Duration ATTEMPT = Duration.ofSeconds(10);

    /** Time limit of a question, over all its attempts. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final RSocketClient servers;
    private final Map<String, LongAdder> answers = new ConcurrentSkipListMap<>();
    private final LongAdder failures = new LongAdder();

    /**
     * Creates a client.
     *
     * @param client settings of its connections
     * @param addresses the available servers, from any kind of discovery
     */
    DigestClient(RdmaClient client, AddressSupplier addresses) {
        servers = LoadbalanceRSocketClient.builder(
                        RdmaClientTransport.create(client).targets(addresses, REFRESH))
                .roundRobinLoadbalanceStrategy()
                .build();
    }

    /**
     * Asks for the digest of a number, and repeats the question after a failure. That is safe for digests. For an order
     * or a payment, the application would have to decide whether to repeat.
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

    /** Returns the number of answers of one server, by its name. */
    long answersOf(String name) {
        LongAdder count = answers.get(name);
        return count == null ? 0 : count.sum();
    }

    /** Returns the number of answers of each server, in one line. */
    @Override
    public String toString() {
        StringBuilder line = new StringBuilder();
        answers.forEach((name, count) -> line.append(String.format("%s %6d   ", name, count.sum())));
        return line.append("failed attempts ").append(failures()).toString();
    }

    /** Returns the number of failed attempts. */
    long failures() {
        return failures.sum();
    }

    @Override
    public void dispose() {
        servers.dispose();
    }
}
