package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.connect.RdmaListener;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that no application takes over, and on which messages have arrived. Nothing of them is left. */
abstract class UnclaimedContract extends ConnectedContract {
    /** Returns an address of the device. */
    abstract String host();

    @ParameterizedTest
    @EnumSource(names = {"TCP", "RDMA_CM"})
    void aHandlerThatThrowsKeepsNoMessages(ConnectMethod method) {
        assumeMethod(method);
        ConnectionOptions options = small().withConnectMethod(method);
        CompletableFuture<Endpoint> thrown = new CompletableFuture<>();
        try (RdmaListener listener = RdmaListener.bind(
                resources, options, AdmissionLimits.DEFAULT, new InetSocketAddress(host(), 0), connection -> {
                    await().atMost(PATIENCE)
                            .until(() -> !connection.endpoint().receives().isEmpty());
                    thrown.complete(connection.endpoint());
                    throw new IllegalStateException("on purpose");
                })) {
            client = connected(resources, options, listener).endpoint();
            submit(client, WorkRequest.send(acquire(client).limit(8), true));
            server = thrown.join();
            assertThat(server.closed()).succeedsWithin(PATIENCE);
            await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 0);
        }
    }
}
