package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.internal.engine.Operation;
import io.rdma.internal.engine.WorkRequest;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.NewestFirst;
import io.rdma.testing.NextMessage;
import io.rdma.testing.TestDevice;
import io.rdma.types.CmEventType;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmIdentifier;
import java.io.InputStream;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Connections with peers from before capabilities existed: both ways to connect, both sides, and the end of the
 * connection.
 */
abstract class OldPeerContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MESSAGES = 40; // more than there are receives, so that credits have to be announced

    private final NewestFirst opened = new NewestFirst();
    private DeviceResources resources;
    private OldPeer old;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns an address of the device. */
    abstract String host();

    private static ConnectionOptions options(ConnectMethod connector) {
        return ConnectionOptions.DEFAULT
                .withConnectMethod(connector)
                .withReceiveBuffers(8, 1024)
                .withSendBuffers(4, 1024);
    }

    @BeforeEach
    void open() {
        resources = opened.later(new DeviceResources(
                TestDevice.assumedInfiniBand(device()), ResourceOptions.DEFAULT.withCompletionQueueEntries(2048)));
        old = new OldPeer(resources, options(ConnectMethod.TCP));
    }

    @AfterEach
    void closeNewestFirst() throws Exception {
        opened.close();
    }

    private static <T> T join(CompletableFuture<T> one) {
        return one.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private RdmaListener listen(ConnectMethod connector, CompletableFuture<EstablishedConnection> accepted) {
        return opened.later(RdmaListener.bind(
                resources,
                options(connector),
                AdmissionLimits.DEFAULT,
                new InetSocketAddress(host(), 0),
                accepted::complete));
    }

    private CompletableFuture<Endpoint> connect(ConnectMethod connector, InetSocketAddress to) {
        return ConnectOutcome.of(resources, options(connector), to).thenApply(EstablishedConnection::endpoint);
    }

    private static void send(Endpoint from, int value) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        from.sendBuffers().acquire(new BufferWaiter(false) {
            @Override
            public void acquired(RegisteredBuffer buffer) {
                buffer.segment().set(ValueLayout.JAVA_INT, 0, value);
                from.submit(new Operation(WorkRequest.send(buffer.limit(Integer.BYTES), true)) {
                    @Override
                    protected void completed(long result) {
                        sent.complete(null);
                    }

                    @Override
                    protected void failed(RuntimeException error) {
                        sent.completeExceptionally(error);
                    }
                });
            }

            @Override
            public void failed(RuntimeException error) {
                sent.completeExceptionally(error);
            }
        });
        join(sent);
    }

    private static int receive(Endpoint at) {
        try (ReceivedMessage one = NextMessage.at(at)) {
            return one.segment().get(ValueLayout.JAVA_INT, 0);
        }
    }

    private static void talk(Endpoint one, Endpoint other) {
        for (int i = 0; i < MESSAGES; i++) {
            send(one, i);
            assertThat(receive(other)).isEqualTo(i);
            send(other, -i);
            assertThat(receive(one)).isEqualTo(-i);
        }
    }

    private static void awaitOrderlyEnd(Endpoint of) {
        await().atMost(PATIENCE).until(() -> of.closed().isDone());
        assertThat(of.failure()).isNull();
    }

    @Test
    void anOldClientOfTheExchangeEndsTheConnectionByItsByte() throws Exception {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        RdmaListener listener = listen(ConnectMethod.TCP, accepted);
        try (Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            Endpoint client = old.connect(socket);
            Endpoint server = join(accepted).endpoint();
            talk(client, server);
            socket.getOutputStream().write('B');
            awaitOrderlyEnd(server);
            client.close();
        }
    }

    @Test
    void anOldServerOfTheExchangeReceivesTheClosingByte() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName(host()))) {
            InetSocketAddress address = (InetSocketAddress) listening.getLocalSocketAddress();
            CompletableFuture<Endpoint> outcome = connect(ConnectMethod.TCP, address);
            Socket[] accepted = new Socket[1];
            Endpoint server = old.accept(listening, accepted);
            Endpoint client = join(outcome);
            talk(client, server);
            client.close();
            accepted[0].setSoTimeout((int) PATIENCE.toMillis());
            InputStream in = accepted[0].getInputStream();
            assertThat(in.read()).isEqualTo('B');
            awaitOrderlyEnd(client);
            server.close();
            accepted[0].close();
        }
    }

    @Test
    void anOldClientOfTheManagerEndsTheConnectionByDisconnect() {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        RdmaListener listener = listen(ConnectMethod.RDMA_CM, accepted);
        Endpoint client = old.connectByManager(listener.address());
        Endpoint server = join(accepted).endpoint();
        talk(client, server);
        client.close();
        awaitOrderlyEnd(server);
    }

    @Test
    void anOldServerOfTheManagerSeesTheDisconnect() {
        CompletableFuture<Endpoint> served = new CompletableFuture<>();
        CmLoop loop = CmLoop.of(resources);
        CmIdentifier listening = loop.create(new CmEventHandler() {
            @Override
            public void accept(CmEvent event) {
                serve(event, served);
            }

            @Override
            public void lost(Throwable cause) {
                served.completeExceptionally(cause);
            }
        });
        listening.bind(new InetSocketAddress(host(), 0));
        listening.listen(8);
        Endpoint client = join(connect(ConnectMethod.RDMA_CM, listening.localAddress()));
        Endpoint server = join(served);
        talk(client, server);
        client.close();
        awaitOrderlyEnd(server);
        awaitOrderlyEnd(client);
        loop.close(listening);
    }

    private void serve(CmEvent event, CompletableFuture<Endpoint> served) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            Thread.ofVirtual().start(() -> {
                try {
                    served.complete(old.acceptByManager(event));
                } catch (Throwable e) {
                    served.completeExceptionally(e);
                }
            });
        }
    }
}
