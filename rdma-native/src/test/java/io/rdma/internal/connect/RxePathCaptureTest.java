package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.internal.soft.LiveCapture;
import io.rdma.internal.soft.Tshark;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.Gid;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Packets of the kernel's device on the wire. A device does not put packets to itself there, so the peer is an address
 * of the other network namespace of .ci/rxe-vm, at which nothing answers.
 */
@Tag("rxe")
class RxePathCaptureTest {
    private static final String HOST = "10.77.0.1";
    private static final String SILENT_PEER = "10.77.0.2";
    private static final int PATIENCE_SECONDS = 60;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.TCP)
            .withVerifyPeerGid(false)
            .withTimeout(10)
            .withRetryCnt(1)
            .withDrainTimeout(Duration.ofMillis(200))
            .withPath(PathOptions.DEFAULT.withDscp(26));

    @Test
    void theKernelSendsTheTrafficClass(@TempDir Path folder) throws Exception {
        TestDevice.assumeMethod(TestDevice.real(), ConnectMethod.TCP);
        try (DeviceResources resources = new DeviceResources(TestDevice.assumed(TestDevice.real()));
                ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName(HOST));
                LiveCapture capture = LiveCapture.start(
                        "veth0", "udp dst port 4791 and dst host " + SILENT_PEER, 1, folder.resolve("wire.pcapng"))) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> answer(listening));
            Endpoint endpoint = ConnectOutcome.of(
                            resources, OPTIONS, (InetSocketAddress) listening.getLocalSocketAddress())
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .endpoint();
            send(endpoint);
            assertThat(Tshark.fields(capture.await(), 4791, "ip.dsfield", "ip.dsfield.dscp"))
                    .containsExactly("0x68\t26");
            endpoint.close();
            served.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Serves one exchange with the GID of a host that has no device. */
    private static void answer(ServerSocket listening) {
        try (Socket socket = listening.accept();
                Exchange exchange = TestExchange.over(socket, OPTIONS, false)) {
            PeerParameters client = exchange.receiveHello();
            assertThat(client).isNotNull();
            exchange.accept(new PeerParameters(
                    4711,
                    1,
                    Gid.of(InetAddress.getByName(SILENT_PEER)),
                    0,
                    client.mtu(),
                    client.initiatorDepth(),
                    client.responderResources(),
                    true,
                    client.receiveBuffers(),
                    client.receiveBufferSize(),
                    client.maxMessageSize(),
                    Exchange.OFFER));
            exchange.awaitReady();
            exchange.complete();
            exchange.awaitEnd();
        } catch (Exception e) {
            throw new AssertionError("the exchange failed", e);
        }
    }

    private static void send(Endpoint by) {
        RegisteredBuffer buffer = RegisteredBuffer.of(by.memory().allocate(4, Set.of(AccessFlag.LOCAL_WRITE)), 0, 4);
        by.submit(new Operation(WorkRequest.send(buffer, false)) {
            @Override
            protected void completed(long value) {}

            @Override
            protected void failed(RuntimeException error) {} // nothing answers
        });
        buffer.close();
    }
}
