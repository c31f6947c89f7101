package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePairType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A peer that promises numbers and sends a message without one. */
class UnnumberedMessageTest {
    private static final InetAddress HOST = InetAddress.getLoopbackAddress();

    @Test
    void itsConnectionEnds() throws Exception {
        ConnectionOptions options =
                ConnectionOptions.DEFAULT.withConnectMethod(ConnectMethod.TCP).withQueuePairType(QueuePairType.UC);
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        try (DeviceResources resources = new DeviceResources(TestDevice.assumed("soft0"));
                RdmaListener listener = RdmaListener.bind(
                        resources,
                        options,
                        AdmissionLimits.DEFAULT,
                        new InetSocketAddress(HOST, 0),
                        accepted::complete);
                Socket connecting = new Socket(HOST, listener.address().getPort());
                Exchange exchange = TestExchange.over(connecting, options, true)) {
            Endpoint liar = connected(resources, TransportWish.applied(options), exchange);
            Endpoint server = accepted.get().endpoint();
            try (MemoryRegion memory = liar.memory().allocate(8, Set.of(AccessFlag.LOCAL_WRITE));
                    RegisteredBuffer message = RegisteredBuffer.of(memory, 0, 8)) {
                liar.submit(new Operation(WorkRequest.send(message, false)) {
                    @Override
                    protected void completed(long value) {}

                    @Override
                    protected void failed(RuntimeException error) {}
                });
                assertThat(server.closed()).succeedsWithin(Duration.ofSeconds(60));
                assertThat(server.failure()).hasMessageContaining("without a number");
                assertThat(server.receives().poll()).isNull();
                liar.discard();
                liar.closed().join();
            }
        }
    }

    /** Connects as a side that asks for an unreliable connection, and does not know it. */
    private static Endpoint connected(DeviceResources resources, ConnectionOptions options, Exchange exchange)
            throws Exception {
        PathWishes wishes = new PathWishes(resources.context(), options);
        int port = wishes.port(HOST);
        try (QueuePairBringUp queuePair =
                new QueuePairBringUp(resources, options, HOST, port, wishes.toInit(port), Exchange.OFFER, null)) {
            exchange.sendHello(with(queuePair.local(), Offer.UNRELIABLE));
            PeerParameters server = exchange.receiveAnswer();
            Endpoint endpoint = queuePair.connect(with(server, 0), HOST);
            exchange.sendReady();
            return endpoint;
        }
    }

    private static PeerParameters with(PeerParameters of, int unreliable) {
        Offer offer = new Offer(2, 2, of.offer().capabilities() & ~Offer.UNRELIABLE | unreliable);
        return new PeerParameters(
                of.qpNumber(),
                of.psn(),
                of.gid(),
                of.lid(),
                of.mtu(),
                of.initiatorDepth(),
                of.responderResources(),
                of.credits(),
                of.receiveBuffers(),
                of.receiveBufferSize(),
                of.maxMessageSize(),
                offer);
    }
}
