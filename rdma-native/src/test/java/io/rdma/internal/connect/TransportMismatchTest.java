package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connects between software devices of RoCE and of iWARP, which real devices could not make. */
class TransportMismatchTest {
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT.withConnectMethod(ConnectMethod.RDMA_CM);

    @ParameterizedTest
    @CsvSource({"soft0, soft-iwarp0", "soft-iwarp0, soft0"})
    void aDeviceOfAnotherTransportIsRefused(String client, String server) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (DeviceResources clients = new DeviceResources(TestDevice.assumed(client));
                DeviceResources servers = new DeviceResources(TestDevice.assumed(server));
                RdmaListener listener = RdmaListener.bind(servers, OPTIONS, AdmissionLimits.DEFAULT, any, accepted -> {
                    throw new AssertionError("accepted");
                })) {
            assertThatThrownBy(() -> ConnectOutcome.of(clients, OPTIONS, listener.address())
                            .join())
                    .isInstanceOf(CompletionException.class)
                    .cause()
                    .hasMessageContaining("use the same kind of device on both sides")
                    .isInstanceOfSatisfying(
                            RdmaConnectException.class,
                            e -> Assertions.assertThat(e.reason()).isEqualTo(Reason.REJECTED));
        }
    }
}
