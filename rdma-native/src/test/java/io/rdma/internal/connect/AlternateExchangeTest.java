package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.soft.SoftNetwork;
import io.rdma.testing.TestDevice;
import io.rdma.types.Gid;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The last steps of an exchange with alternate paths: a client reports no connection that its server refuses. */
class AlternateExchangeTest {
    private static final InetAddress HOST = InetAddress.getLoopbackAddress();

    private final ConnectionOptions options = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.TCP)
            .withPath(PathOptions.DEFAULT.withAlternateGidAddress(InetAddress.ofLiteral("127.0.0.2")));

    private static final InetAddress ELSEWHERE = InetAddress.ofLiteral("192.0.2.7");

    private void refused(ConnectionOptions of, Gid end, String why) throws Exception {
        finish(
                of,
                end,
                exchange -> assertThatThrownBy(exchange::awaitServerReady).hasMessageContaining(why));
    }

    private void finish(ConnectionOptions of, Gid end, Consumer<Exchange> last) throws Exception {
        try (SoftNetwork network = SoftNetwork.createWithTwoAddresses();
                DeviceResources resources = new DeviceResources(TestDevice.assumed(network.device()));
                RdmaListener listener = RdmaListener.bind(
                        resources, of, AdmissionLimits.DEFAULT, new InetSocketAddress(HOST, 0), accepted -> {
                            throw new AssertionError("accepted");
                        });
                Socket connecting = new Socket(HOST, listener.address().getPort());
                Exchange exchange = TestExchange.over(connecting, of, true);
                QueuePairBringUp queuePair = new QueuePairBringUp(resources, of, HOST, null)) {
            exchange.sendHello(queuePair.local());
            PeerParameters server = exchange.receiveAnswer();
            assertThat(exchange.receiveAlternate().gid()).isNotEqualTo(server.gid());
            Endpoint endpoint = queuePair.connect(server, HOST);
            exchange.sendReady();
            exchange.sendAlternate(
                    new AlternateEnd(end == null ? queuePair.local().gid() : end, 0));
            last.accept(exchange);
            endpoint.discard();
        }
    }

    @Test
    void aClientWithOneAddressForBothPathsIsRefused() throws Exception {
        refused(options, null, "nothing would be protected");
    }

    @Test
    void theAddressOfAnotherHostIsRefused() throws Exception {
        refused(options, Gid.of(ELSEWHERE), "that of its alternate path");
    }

    @Test
    void theAddressOfAnotherHostIsAcceptedWhereItIsExpected() throws Exception {
        PathOptions expecting = options.path().withPeerAlternateGidAddress(ELSEWHERE);
        finish(
                options.withPath(expecting),
                Gid.of(ELSEWHERE),
                exchange -> assertThatCode(exchange::awaitServerReady).doesNotThrowAnyException());
    }
}
