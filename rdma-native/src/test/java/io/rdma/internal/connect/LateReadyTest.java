package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.LoopCounters;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A client that takes its time between the server's answer and its own readiness. */
class LateReadyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int PROBES = 10;

    /** The client's queue pair would answer no probe, and the connection would be lost before it is there. */
    @Test
    void aServerProbesNoClientThatIsNotReady() throws Exception {
        ConnectionOptions options =
                ConnectionOptions.DEFAULT.withConnectMethod(ConnectMethod.TCP).withProbeInterval(Duration.ofMillis(20));
        InetAddress host = InetAddress.getLoopbackAddress();
        BlockingQueue<EstablishedConnection> accepted = new LinkedBlockingQueue<>();
        try (DeviceResources servers = new DeviceResources(TestDevice.assumed("soft0"));
                DeviceResources clients = new DeviceResources(TestDevice.assumed("soft0"));
                RdmaListener listener = RdmaListener.bind(
                        servers, options, AdmissionLimits.DEFAULT, new InetSocketAddress(host, 0), accepted::add);
                Socket connecting = new Socket(host, listener.address().getPort());
                Exchange exchange = TestExchange.over(connecting, options, true);
                QueuePairBringUp queuePair = new QueuePairBringUp(clients, options, host, null)) {
            exchange.sendHello(queuePair.local());
            PeerParameters server = exchange.receiveAnswer();
            Endpoint waiting = servers.endpoints().getFirst();
            assertThat(ConnectOutcome.of(clients, options, listener.address())).succeedsWithin(PATIENCE);
            assertThat(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
            LoopCounters counters = waiting.loop().counters(); // those of the other connection's probes, too
            long before = counters.posted();
            await().atMost(PATIENCE).until(() -> counters.posted() > before + PROBES);
            assertThat(waiting.inFlight()).isZero();
            assertThat(waiting.isClosing()).isFalse();
            queuePair.connect(server, host).established();
            exchange.sendReady();
            assertThat(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
        }
    }
}
