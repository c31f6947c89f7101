package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.soft.SoftNetwork;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Exchange that leaves from the address of the path, not from the one that the host would choose. */
class BoundExchangeTest {
    private static final int PATIENCE_SECONDS = 60;
    private static final InetAddress SECOND = InetAddress.ofLiteral("127.0.0.2");

    @Test
    void theServerSeesTheAddressOfThePath() {
        ConnectionOptions options = ConnectionOptions.DEFAULT.withConnectMethod(ConnectMethod.TCP);
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (SoftNetwork network = SoftNetwork.createWithTwoAddresses();
                DeviceResources resources = new DeviceResources(TestDevice.assumed(network.device()));
                RdmaListener listener = RdmaListener.bind(
                        resources,
                        options,
                        AdmissionLimits.DEFAULT,
                        new InetSocketAddress("127.0.0.1", 0),
                        accepted::complete)) {
            EstablishedConnection client = ConnectOutcome.of(
                            resources, options.withPath(PathOptions.DEFAULT.withGidAddress(SECOND)), listener.address())
                    .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .join();
            EstablishedConnection server =
                    accepted.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
            assertThat(server.remoteAddress().getAddress()).isEqualTo(SECOND);
            assertThat(client.localAddress().getAddress()).isEqualTo(SECOND);
            client.endpoint().close();
            server.endpoint().close();
        }
    }
}
