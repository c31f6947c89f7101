package io.rdma.reactive.pool;

import static io.rdma.reactive.pool.PoolFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdma.connect.AddressSupplier;
import io.rdma.connect.Balancing;
import io.rdma.connect.PoolOptions;
import io.rdma.connect.ServerAddress;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.micrometer.RdmaPoolMetrics;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests of the Java snippets in docs/guide/pool.md, which are quoted from this file. */
@Timeout(180)
class PoolDocumentationTest {
    private final PoolFixture fixture = new PoolFixture("soft0");

    @AfterEach
    void nothingIsLeft() {
        fixture.close();
    }

    private static Mono<String> ask(RdmaConnection connection, String question) {
        byte[] bytes = question.getBytes();
        return connection
                .send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)))
                .then(connection
                        .receive(message -> new String(message.toByteArray()))
                        .next());
    }

    @Test
    void oneServer() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        DisposableServer server = fixture.server();
        String host = "127.0.0.1";
        int port = server.port();
        RdmaConnectionPool pool = RdmaConnectionPool.create(
                RdmaClient.create().host(host).port(port),
                PoolOptions.DEFAULT.withMaxConnections(8).withMaxIdleTime(Duration.ofMinutes(5)));
        Flux<String> answer = pool.withConnection(connection -> ask(connection, "question"));
        new RdmaPoolMetrics("orders", pool.metrics()).bindTo(registry);
        assertThat(answer.blockLast(PATIENCE)).isEqualTo("question");
        assertThat(registry.get("rdma.pool.connections.idle").gauge().value()).isEqualTo(1);
        pool.disposeNow(PATIENCE);
    }

    @Test
    void manyServers() {
        RdmaClient client = fixture.client();
        AddressSupplier weighted = AddressSupplier.of(
                ServerAddress.of("db1.example", 7471).withWeight(3), ServerAddress.of("db2.example", 7471));
        AddressSupplier named = AddressSupplier.dns("digests.shop.svc.cluster.local", 7471);
        AtomicReference<List<ServerAddress>> discovered = new AtomicReference<>(List.of());
        AddressSupplier notified = discovered::get; // a discovery sets the variable
        RdmaConnectionPool pool = fixture.using(
                RdmaConnectionPool.create(client, notified, PoolOptions.DEFAULT.withBalancing(Balancing.ROUND_ROBIN)));
        assertThat(List.of(weighted, named)).isNotEmpty();
        discovered.set(List.of(ServerAddress.of("127.0.0.1", fixture.server().port())));
        assertThat(PoolFixture.ask(pool, "question")).isEqualTo("question");
    }

    @Test
    void acquired() {
        RdmaConnectionPool pool = fixture.using(
                RdmaConnectionPool.create(fixture.client().port(fixture.server().port()), PoolOptions.DEFAULT));
        PooledRdmaConnection held = pool.acquire().block(PATIENCE);
        try {
            ask(held.connection(), "question").block(PATIENCE);
            held.release();
        } catch (RuntimeException e) {
            held.invalidate(e); // an answer may still arrive
            throw e;
        }
        assertThat(pool.metrics().idle()).isOne();
    }
}
