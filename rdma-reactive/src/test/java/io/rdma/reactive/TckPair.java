package io.rdma.reactive;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.tck.TestEnvironment;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A server on soft0 and any number of connections to it, for the publishers that the TCK verifies. */
final class TckPair {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    static final int MESSAGES = 100;

    /** Both ends of one connection. */
    record Ends(RdmaConnection client, RdmaConnection server) {}

    /** Returns an environment that waits long for a signal that must come, and 50 ms for one that must not. */
    static TestEnvironment environment() {
        return new TestEnvironment(PATIENCE.toMillis(), 50, 50);
    }

    private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    private final DisposableServer server = RdmaServer.create()
            .device("soft0")
            .host("127.0.0.1")
            .receiveBuffers(MESSAGES, 64)
            .handle(connection -> {
                accepted.add(connection);
                return Mono.never();
            })
            .bindNow(PATIENCE);

    Mono<RdmaConnection> connecting() {
        return RdmaClient.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(server.port())
                .receiveBuffers(4, 64)
                .sendBuffers(4, 64)
                .connect();
    }

    Ends connect() {
        RdmaConnection client = Objects.requireNonNull(connecting().block(PATIENCE));
        try {
            return new Ends(client, Objects.requireNonNull(accepted.poll(20, TimeUnit.SECONDS)));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the server's end of a connection that the client closed after it had sent that many messages. */
    RdmaConnection ended(long messages) {
        Ends ends = connect();
        ends.client()
                .send(Flux.range(0, (int) messages), (n, target) -> 1 + n % 60)
                .block(PATIENCE);
        ends.client().disposeNow(PATIENCE);
        return ends.server();
    }

    void close() {
        server.disposeNow(PATIENCE);
    }
}
