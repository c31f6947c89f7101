package io.rdma.netty.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;

import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestCertificates;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections of gRPC over a device: back-pressure, TLS, and their ends. */
abstract class GrpcConnectionSuite extends GrpcSuite {
    private static byte[] empty(ManagedChannel channel) {
        return ClientCalls.blockingUnaryCall(
                channel, BytesService.EMPTY, CallOptions.DEFAULT.withWaitForReady(), new byte[0]);
    }

    /** Answers of a flood, which the test requests one by one. */
    private final class Flood extends ClientCall.Listener<byte[]> {
        private final AnswersRecorder answers = new AnswersRecorder();
        private final ClientCall<byte[], byte[]> call;

        private Flood(ManagedChannel channel) {
            call = channel.newCall(BytesService.FLOOD, CallOptions.DEFAULT);
            call.start(this, new Metadata());
            call.sendMessage(new byte[0]);
            call.halfClose();
        }

        @Override
        public void onMessage(byte[] answer) {
            answers.onNext(answer);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            answers.onError(status.asException());
        }

        private void assertNext(int number) throws InterruptedException {
            call.request(1);
            assertThat(answers.next()).isEqualTo(BytesService.bytes(BytesService.FLOOD_SIZE, number));
        }
    }

    /** A server sends as much as the window of HTTP/2 has room for, while its client requests one answer at a time. */
    @Test
    void serverStreamingShouldBeFlowControlled() throws Exception {
        int window = 128 << 10;
        Flood flood = new Flood(channel(channelBuilder(start(serverBuilder(0))).flowControlWindow(window)));
        int ahead = (window + (32 << 10)) / BytesService.FLOOD_SIZE + 4; // gRPC itself keeps 32 KiB of a call
        for (int i = 0; i < 100; i++) {
            flood.assertNext(i);
            assertThat(service.flooded.get()).isLessThanOrEqualTo(i + 1 + ahead);
        }
        flood.call.cancel("enough", null);
        assertThat(flood.answers.end().getCode()).isEqualTo(Status.Code.CANCELLED);
        assertThat(service.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    }

    /** A client whose event loop does not run gives no credits, so a server stops long before the window of HTTP/2. */
    @Test
    void credits() throws Exception {
        int window = 2 * BytesService.FLOOD_MOST * BytesService.FLOOD_SIZE;
        ManagedChannel channel = channel(channelBuilder(start(serverBuilder(0))).initialFlowControlWindow(window));
        empty(channel);
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Flood flood = new Flood(channel);
        flood.assertNext(0);
        connections().execute(() -> {
            blocked.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        assertThat(blocked.await(60, TimeUnit.SECONDS)).isTrue();
        flood.call.request(Integer.MAX_VALUE);
        assertThat(service.held.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(service.flooded.get()).isLessThan(BytesService.FLOOD_MOST);
        go.countDown();
        for (int i = 1; i < BytesService.FLOOD_MOST; i++) {
            assertThat(flood.answers.next()).isEqualTo(BytesService.bytes(BytesService.FLOOD_SIZE, i));
        }
        assertThat(flood.answers.end()).matches(Status::isOk);
    }

    @Test
    void tlsWithCertificatesOfBothSides(@TempDir Path folder) throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        KeyStore own = certificates.create("one");
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, TestCertificates.PASSWORD.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(TestCertificates.certificates(own));
        SslContext serving = GrpcSslContexts.configure(SslContextBuilder.forServer(keys), SslProvider.JDK)
                .trustManager(trust)
                .clientAuth(ClientAuth.REQUIRE)
                .build();
        SslContext connecting = GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK)
                .keyManager(keys)
                .trustManager(trust)
                .build();
        Server server = start(serverBuilder(0).sslContext(serving));
        ManagedChannel channel =
                channel(RdmaGrpc.channel(NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()), connections())
                        .sslContext(connecting));
        byte[] answer = ClientCalls.blockingUnaryCall(
                channel, BytesService.UNARY, CallOptions.DEFAULT, BytesService.sizes(300_000));
        assertThat(answer).isEqualTo(BytesService.bytes(300_000, 0));
        ManagedChannel stranger = channel(channelBuilder(server));
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() ->
                        ClientCalls.blockingUnaryCall(stranger, BytesService.EMPTY, CallOptions.DEFAULT, new byte[0]))
                .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    }

    /** An orderly stop lets calls end. */
    @Test
    void gracefulShutdown() throws Exception {
        Server server = start(serverBuilder(0));
        AnswersRecorder answers = new AnswersRecorder();
        StreamObserver<byte[]> requests = ClientCalls.asyncBidiStreamingCall(
                channel(channelBuilder(server)).newCall(BytesService.FULL_DUPLEX, CallOptions.DEFAULT), answers);
        requests.onNext(BytesService.sizes(1));
        answers.next();
        server.shutdown();
        requests.onNext(BytesService.sizes(100_000));
        assertThat(answers.next()).hasSize(100_000);
        requests.onCompleted();
        assertThat(answers.end()).matches(Status::isOk);
        assertThat(server.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    /** A server that stops at once in mid-answer: the client's call fails, and the close of pending writes ends. */
    @Test
    void serverStopsWithAnswersUnderWay() throws Exception {
        Server server = start(serverBuilder(0));
        Flood flood = new Flood(channel(channelBuilder(server)));
        flood.assertNext(0);
        server.shutdownNow();
        flood.call.request(Integer.MAX_VALUE);
        assertThat(flood.answers.end().getCode()).isIn(Status.Code.CANCELLED, Status.Code.UNAVAILABLE);
        assertThat(server.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    /** A server that is killed in mid-answer: the client's call fails, and never looks complete. */
    @Test
    void serverIsKilledWithAnswersUnderWay() throws Exception {
        try (JavaProcess process = FloodingServer.start(device())) {
            int port = Integer.parseInt(process.await("listening "));
            Flood flood =
                    new Flood(channel(RdmaGrpc.channel(NettyChannelBuilder.forAddress("127.0.0.1", port), connections())
                            .usePlaintext()));
            flood.assertNext(0);
            process.kill();
            flood.call.request(Integer.MAX_VALUE);
            assertThat(flood.answers.end().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        }
    }

    @Test
    void clientStopsWithAnswersUnderWay() throws Exception {
        ManagedChannel channel = channel();
        Flood flood = new Flood(channel);
        flood.assertNext(0);
        assertThat(channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(service.cancelled.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(service.flooded.get()).isLessThan(BytesService.FLOOD_MOST);
    }

    @Test
    void channelConnectsToTheNextServerAtTheAddress() throws Exception {
        Server first = start(serverBuilder(0));
        ManagedChannel channel = channel(channelBuilder(first));
        empty(channel);
        int port = first.getPort();
        assertThat(first.shutdownNow().awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        // A connection of another test may have the free port for a moment.
        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> start(serverBuilder(port)).getPort() == port);
        channel.resetConnectBackoff();
        assertThat(empty(channel)).isEmpty();
    }

    @Test
    void withoutServerACallIsUnavailable() throws Exception {
        Server server = start(serverBuilder(0));
        ManagedChannel channel = channel(channelBuilder(server));
        assertThat(server.shutdownNow().awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThatExceptionOfType(StatusRuntimeException.class)
                .isThrownBy(() ->
                        ClientCalls.blockingUnaryCall(channel, BytesService.EMPTY, CallOptions.DEFAULT, new byte[0]))
                .satisfies(e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAVAILABLE));
    }

    @Test
    void aPortInUseFailsTheStart() throws IOException {
        Server server = start(serverBuilder(0));
        NettyServerBuilder second = RdmaGrpc.server(
                NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", server.getPort())),
                servings(),
                servings());
        assertThatIOException()
                .isThrownBy(() -> second.build().start())
                .withMessageContaining(Integer.toString(server.getPort()));
    }

    /** A connection that has no calls for a while ends in an orderly way, and the next call makes another. */
    @Test
    void idleConnectionIsMadeAgain() throws Exception {
        AtomicInteger ended = new AtomicInteger();
        Server server = start(serverBuilder(0)
                .maxConnectionIdle(1, TimeUnit.SECONDS) // the least that gRPC has
                .addTransportFilter(new ServerTransportFilter() {
                    @Override
                    public void transportTerminated(Attributes attributes) {
                        ended.incrementAndGet();
                    }
                }));
        ManagedChannel channel = channel(channelBuilder(server));
        empty(channel);
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> ended.get() == 1);
        assertThat(empty(channel)).isEmpty();
    }
}
