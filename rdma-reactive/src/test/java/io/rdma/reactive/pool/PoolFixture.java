package io.rdma.reactive.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.testing.TestDevice;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/** Echo servers and a client for the contracts of pools. At the end no connection is open on either side. */
final class PoolFixture {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RdmaResources ofServers;
    private final RdmaResources ofClients;
    private final List<DisposableServer> servers = new ArrayList<>();
    private final List<RdmaConnectionPool> pools = new ArrayList<>();

    PoolFixture(String device) {
        ofServers = RdmaResources.open(TestDevice.assumed(device));
        ofClients = RdmaResources.open(TestDevice.assumed(device));
    }

    DisposableServer server(String host, int port, UnaryOperator<Publisher<String>> answers) {
        DisposableServer server = RdmaServer.create()
                .resources(ofServers)
                .host(host)
                .port(port)
                .receiveBuffers(16, 1024)
                .sendBuffers(8, 1024)
                .options(o -> o.withHandshakeTimeout(PATIENCE))
                .handle(connection -> connection.send(
                        answers.apply(connection.receive(message -> new String(message.toByteArray()))),
                        (text, target) -> {
                            target.copyFrom(MemorySegment.ofArray(text.getBytes()));
                            return text.length();
                        }))
                .bindNow(PATIENCE);
        servers.add(server);
        return server;
    }

    DisposableServer server() {
        return server("127.0.0.1", 0, questions -> questions);
    }

    RdmaClient client() {
        return RdmaClient.create()
                .resources(ofClients)
                .host("127.0.0.1")
                .receiveBuffers(16, 1024)
                .sendBuffers(8, 1024)
                .options(o -> o.withHandshakeTimeout(PATIENCE));
    }

    /** Registers a pool, which the end of the test disposes. */
    RdmaConnectionPool using(RdmaConnectionPool pool) {
        pools.add(pool);
        return pool;
    }

    static Mono<String> ask(RdmaConnection connection, String question) {
        byte[] bytes = question.getBytes();
        return connection
                .send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)))
                .then(connection
                        .receive(message -> new String(message.toByteArray()))
                        .next());
    }

    static String ask(RdmaConnectionPool pool, String question) {
        return pool.withConnection(connection -> ask(connection, question)).blockLast(PATIENCE);
    }

    /** Waits until the servers have as many connections. */
    void awaitConnections(int expected) {
        await("connections at the servers")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(ofServers.endpoints()).hasSize(expected));
    }

    /** Disposes the pools. Their connections end, although the servers still run. */
    void close() {
        pools.forEach(pool -> pool.disposeNow(PATIENCE));
        assertThat(ofClients.endpoints()).isEmpty();
        awaitConnections(0);
        servers.forEach(server -> server.disposeNow(PATIENCE));
        ofClients.close();
        ofServers.close();
        TestDevice.awaitClosed(ofClients.context());
        TestDevice.awaitClosed(ofServers.context());
    }
}
