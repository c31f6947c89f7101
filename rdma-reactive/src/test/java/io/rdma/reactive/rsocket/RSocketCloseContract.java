package io.rdma.reactive.rsocket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.UnreliableConnectionException;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.QueuePairType;
import io.rsocket.DuplexConnection;
import io.rsocket.exceptions.ConnectionErrorException;
import io.rsocket.frame.ErrorFrameCodec;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Contract of the close of an RSocket connection whose peer takes no frame at that moment. */
abstract class RSocketCloseContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private RdmaResources resources;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        resources = RdmaResources.open(TestDevice.assumed(device()));
    }

    @AfterEach
    void nothingIsLeft() {
        if (resources != null) {
            resources.close();
            TestDevice.awaitClosed(resources.context());
        }
    }

    /**
     * Runs with many numbers of frames, because one of them equals the number of requested frames. RSocket's queue is
     * then empty, and no more frames are requested.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 6, 7, 8, 9, 10, 11, 12, 100})
    void framesSentBeforeTheCloseArriveAndTheReasonIsLast(int frames) {
        List<ByteBuf> arrived = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> gate = new CompletableFuture<>();
        DisposableServer server = RdmaServer.create()
                .resources(resources)
                .host("127.0.0.1")
                .options(RSocketCloseContract::small)
                .handle(connection -> Mono.fromFuture(gate, true)
                        .thenMany(connection.receive(message ->
                                Unpooled.copiedBuffer(message.segment().asByteBuffer())))
                        .doOnNext(arrived::add)
                        .then())
                .bindNow(PATIENCE);
        try {
            DuplexConnection client = RdmaClientTransport.create(RdmaClient.create()
                            .resources(resources)
                            .host("127.0.0.1")
                            .port(server.port())
                            .options(RSocketCloseContract::small))
                    .connect()
                    .block(PATIENCE);
            for (int i = 0; i < frames; i++) {
                client.sendFrame(
                        1, ByteBufAllocator.DEFAULT.buffer(Integer.BYTES).writeInt(i));
            }
            await("all that the peer has room for is sent")
                    .atMost(PATIENCE)
                    .until(() -> resources.endpoints().stream().allMatch(one -> one.inFlight() == 0));
            client.sendErrorAndClose(new ConnectionErrorException("that is all"));
            gate.complete(null);

            client.onClose().onErrorComplete().block(PATIENCE);
            await("all of it arrives").atMost(PATIENCE).until(() -> arrived.size() > frames);

            assertThat(arrived).hasSize(frames + 1);
            for (int i = 0; i < frames; i++) {
                assertThat(arrived.get(i).readInt()).isEqualTo(i);
            }
            assertThat(ErrorFrameCodec.dataUtf8(arrived.get(frames))).isEqualTo("that is all");
        } finally {
            server.disposeNow(PATIENCE);
        }
    }

    @Test
    void anUnreliableConnectionIsRefusedAndClosed() {
        UnaryOperator<ConnectionOptions> unreliable = options -> options.withQueuePairType(QueuePairType.UC);
        DisposableServer server = RdmaServer.create()
                .resources(resources)
                .host("127.0.0.1")
                .options(unreliable)
                .handle(connection -> connection.onDispose())
                .bindNow(PATIENCE);
        try {
            StepVerifier.create(RdmaClientTransport.create(RdmaClient.create()
                                    .resources(resources)
                                    .host("127.0.0.1")
                                    .port(server.port())
                                    .options(unreliable))
                            .connect())
                    .expectError(UnreliableConnectionException.class)
                    .verify(PATIENCE);
            await().atMost(PATIENCE).until(() -> resources.endpoints().isEmpty());
        } finally {
            server.disposeNow(PATIENCE);
        }
    }

    private static ConnectionOptions small(ConnectionOptions options) {
        return options.withSendBuffers(4, 4096).withReceiveBuffers(4, 4096);
    }
}
