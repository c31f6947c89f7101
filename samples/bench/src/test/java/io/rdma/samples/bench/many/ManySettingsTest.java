package io.rdma.samples.bench.many;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ResourceOptions;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Test of the settings for ten thousand connections, as the page on scaling has them, with a few connections. */
class ManySettingsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CONNECTIONS = 20;

    @Test
    void connectionsCarryMessages() {
        RdmaDevice device = RdmaDevices.named("soft0");
        int depth = 16; // sends in flight on one connection
        int receives = 81_024; // messages that may have arrived and wait, over all connections
        RdmaResources resources = RdmaResources.open(
                device,
                ResourceOptions.DEFAULT
                        .withSharedReceiveBuffers(receives, 256)
                        .withCompletionQueueEntries(1 << 18)); // the deepest of soft0; the loop adds queues
        ConnectionOptions options = ConnectionOptions.DEFAULT
                .withQueuePair(ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(depth))
                .withReceiveBuffers(depth, 256) // the window of a connection
                .withSendBuffers(4, 256);
        try (resources) {
            DisposableServer server = RdmaServer.create()
                    .host("127.0.0.1")
                    .port(0)
                    .resources(resources)
                    .options(ignored -> options)
                    .handle(peer -> peer.sendString(peer.receive().asString()))
                    .bindNow(PATIENCE);
            List<RdmaConnection> connections = IntStream.range(0, CONNECTIONS)
                    .mapToObj(i -> RdmaClient.create()
                            .host("127.0.0.1")
                            .port(server.port())
                            .resources(resources)
                            .options(ignored -> options)
                            .connectNow(PATIENCE))
                    .toList();
            for (RdmaConnection connection : connections) {
                String answer = connection
                        .send("there and back")
                        .then(connection.receive().asString().next())
                        .block(PATIENCE);
                assertThat(answer).isEqualTo("there and back");
            }
        }
    }
}
