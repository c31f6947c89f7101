package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.testing.TestDevice;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** Server and client of one device with small buffers, and the two ends of their connection. */
final class ContractPair {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Bytes of a receive buffer. */
    static final int RECEIVE = 1024;

    /** Bytes of a send buffer. */
    static final int SEND = 2 * RECEIVE;

    /** Number of send buffers. */
    static final int SENDS = 8;

    /** Number of receive buffers. */
    static final int RECEIVES = 16;

    /** Bytes of the largest message. */
    static final int LARGE = 100 * RECEIVE;

    private final RdmaResources resources;
    final DisposableServer server;
    final RdmaConnection client;
    final RdmaConnection peer;

    ContractPair(String device) throws InterruptedException {
        this(device, RdmaResources.open(TestDevice.assumed(device)));
    }

    /**
     * Connects.
     *
     * @param resources of that device, which the pair closes
     */
    ContractPair(String device, RdmaResources resources) throws InterruptedException {
        this(device, resources, o -> o);
    }

    /**
     * Connects with an option of the client's own.
     *
     * @param resources of that device, which the pair closes
     * @param ofClient changes the client's options
     */
    ContractPair(String device, RdmaResources resources, UnaryOperator<ConnectionOptions> ofClient)
            throws InterruptedException {
        this.resources = resources;
        BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
        server = RdmaServer.create()
                .resources(resources)
                .host(TestDevice.host(device))
                .receiveBuffers(RECEIVES, RECEIVE)
                .sendBuffers(SENDS, SEND)
                .options(o -> o.withMaxMessageSize(LARGE))
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never(); // the test decides when the handler ends
                })
                .bindNow(PATIENCE);
        client = RdmaClient.create()
                .resources(resources)
                .host(TestDevice.host(device))
                .port(server.port())
                .receiveBuffers(RECEIVES, RECEIVE)
                .sendBuffers(SENDS, SEND)
                .options(o -> ofClient.apply(o.withMaxMessageSize(LARGE)))
                .connectNow(PATIENCE);
        peer = Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    /** Closes everything, and checks that nothing is in flight, all pools are whole and all memory is freed. */
    void close() {
        client.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
        for (RdmaConnection connection : List.of(client, peer)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(connection.endpoint().inFlight()).isZero();
                assertThat(connection.endpoint().sendBuffers().leased()).isZero();
                assertThat(connection.endpoint().outstandingReceives()).isZero();
            });
        }
        resources.close();
        TestDevice.awaitClosed(resources.context());
    }
}
