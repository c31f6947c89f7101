package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.reactive.call.RdmaCallClient;
import io.rdma.reactive.call.RdmaCallServer;
import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Test of calls whose acknowledgements are lost: the next request then overtakes the report of a delivered answer. */
@Timeout(600)
class CallsOverBadLinksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CALLS = 150;
    private static final int MOST_BATCHES = 20; // an acknowledgement and the packet behind it are lost by chance
    private static final MessageCodec<String> TEXT = MessageCodec.utf8();

    private static long repetitions(SoftNetwork network) {
        return network.counters().get("completer_retry_err");
    }

    @Test
    void aClientThatKeepsToTheServersBoundIsNeverRefused() {
        RdmaCallServer calls = RdmaCallServer.builder()
                .maxInFlight(1)
                .handle("echo", TEXT, TEXT, Mono::just)
                .build();
        try (SoftNetwork ofServer = SoftNetwork.create();
                SoftNetwork ofClient = SoftNetwork.create()) {
            DisposableServer server = RdmaServer.create()
                    .device(ofServer.device())
                    .host("127.0.0.1")
                    .handle(calls::serve)
                    .bindNow(PATIENCE);
            RdmaConnection connection = RdmaClient.create()
                    .device(ofClient.device())
                    .host("127.0.0.1")
                    .port(server.port())
                    .connectNow(PATIENCE);
            RdmaCallClient client = RdmaCallClient.create(connection, 1);
            ofClient.setFaults(LinkFaults.NONE.withLoss(0.1).withSeed(3));
            for (int i = 0; i < MOST_BATCHES && repetitions(ofServer) == 0; i++) {
                assertThat(Flux.range(0, CALLS)
                                .concatMap(number -> client.call("echo", "call " + number, TEXT, TEXT, PATIENCE))
                                .collectList()
                                .block(PATIENCE))
                        .hasSize(CALLS);
            }
            assertThat(repetitions(ofServer)).as("an acknowledgement was lost").isPositive();
            ofClient.heal();
            client.dispose();
            connection.disposeNow(PATIENCE);
            server.disposeNow(PATIENCE);
        }
    }
}
