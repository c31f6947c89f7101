package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.NoReadsException;
import io.rdma.engine.UnreliableConnectionException;
import io.rdma.engine.UnsupportedRequestException;
import io.rdma.reactive.call.RdmaCallClient;
import io.rdma.reactive.call.RdmaCallServer;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePairType;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Unreliable connections of the front-end: a message that is lost is counted, and nothing waits for it. */
abstract class UnreliableConnectionContract {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RECEIVES = 16;

    private RdmaResources resources;
    private RdmaResources ofServer;
    private DisposableServer server;
    private RdmaConnection client;
    private RdmaConnection peer;

    abstract String device();

    /** Returns the name of the server's device. */
    String serverDevice() {
        return device();
    }

    @BeforeEach
    void connect() throws InterruptedException {
        resources = RdmaResources.open(TestDevice.assumedInfiniBand(device()));
        ofServer = RdmaResources.open(TestDevice.assumed(serverDevice()));
        BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
        server = RdmaServer.create()
                .resources(ofServer)
                .host(TestDevice.host(device()))
                .receiveBuffers(RECEIVES, 1024)
                .options(o -> o.withQueuePairType(QueuePairType.UC))
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never();
                })
                .bindNow(PATIENCE);
        client = client().options(o -> o.withQueuePairType(QueuePairType.UC)).connectNow(PATIENCE);
        peer = Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    private RdmaClient client() {
        return RdmaClient.create()
                .resources(resources)
                .host(TestDevice.host(device()))
                .port(server.port())
                .receiveBuffers(RECEIVES, 1024);
    }

    @AfterEach
    void close() {
        if (peer == null) {
            return;
        }
        client.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
        for (RdmaConnection one : List.of(client, peer)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(one.endpoint().inFlight()).isZero();
                assertThat(one.endpoint().sendBuffers().leased()).isZero();
                assertThat(one.endpoint().outstandingReceives()).isZero();
            });
        }
        resources.close();
        ofServer.close();
        TestDevice.awaitClosed(resources.context());
        TestDevice.awaitClosed(ofServer.context());
    }

    private static Mono<Void> send(RdmaConnection to, int value) {
        return to.send(ByteBuffer.allocate(Integer.BYTES).putInt(0, value));
    }

    private static Flux<Integer> values(RdmaConnection at) {
        return at.receive(
                message -> message.segment().get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 0));
    }

    /** Waits until the peer's device has handled what was sent. */
    private void fence() {
        try (MemoryRegion mark =
                Objects.requireNonNull(peer.allocate(1, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)
                        .block(PATIENCE))) {
            patiently()
                    .until(
                            () -> { // a fence may be lost, too
                                client.acquire()
                                        .flatMap(one -> {
                                            one.limit(1).segment().set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
                                            return client.write(one, mark.remote())
                                                    .doFinally(end -> one.close());
                                        })
                                        .block(PATIENCE);
                                VarHandle.fullFence();
                                return mark.segment().get(ValueLayout.JAVA_BYTE, 0) == 1;
                            });
        }
    }

    @Test
    void messagesArriveInOrderInBothDirections() {
        for (int i = 0; i < 100; i++) {
            send(client, i).block(PATIENCE);
            assertThat(values(peer).next().block(PATIENCE)).isEqualTo(i);
            send(peer, -i).block(PATIENCE);
            assertThat(values(client).next().block(PATIENCE)).isEqualTo(-i);
        }
        assertThat(client.endpoint().lostMessages()).isZero();
        assertThat(peer.endpoint().lostMessages()).isZero();
    }

    @Test
    void aStreamOfMoreMessagesThanTheReceiverTakesLosesSomeAndGoesOn() {
        client.send(Flux.range(0, 100).map(i -> "message " + i), MessageCodec.utf8())
                .block(PATIENCE);
        fence();
        StepVerifier.create(peer.receive().asString().take(RECEIVES))
                .expectNextSequence(IntStream.range(0, RECEIVES)
                        .mapToObj(i -> "message " + i)
                        .toList())
                .expectComplete()
                .verify(PATIENCE);
        send(client, 100).block(PATIENCE);
        assertThat(values(peer).next().block(PATIENCE)).isEqualTo(100);
        assertThat(peer.endpoint().lostMessages()).isEqualTo(100 - RECEIVES);
        assertThat(peer.endpoint().counters().lost()).isGreaterThanOrEqualTo(100 - RECEIVES);
    }

    @Test
    void whatNeedsEveryMessageIsRefused() {
        assertThatThrownBy(() -> RdmaCallClient.create(client))
                .isInstanceOf(UnreliableConnectionException.class)
                .hasMessageContaining("calls need a reliable connection");
        StepVerifier.create(RdmaCallServer.builder().build().serve(peer))
                .expectError(UnreliableConnectionException.class)
                .verify(PATIENCE);
        assertThatThrownBy(() -> RdmaByteStream.of(client)).isInstanceOf(UnreliableConnectionException.class);
        send(client, 1).block(PATIENCE);
        assertThat(values(peer).next().block(PATIENCE)).isEqualTo(1);
        send(peer, 2).block(PATIENCE);
        assertThat(values(client).next().block(PATIENCE)).isEqualTo(2);
    }

    @Test
    void operationsThatTheTransportLacksEndWithTheirErrors() {
        try (MemoryRegion there =
                Objects.requireNonNull(peer.allocate(8, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)
                        .block(PATIENCE))) {
            StepVerifier.create(client.fetchAndAdd(there.remote(), 1)).verifyError(NoReadsException.class);
            StepVerifier.create(client.acquire()
                            .flatMap(buffer ->
                                    client.sendWithImmediate(buffer.limit(1), 1).doFinally(end -> buffer.close())))
                    .verifyError(UnsupportedRequestException.class);
            StepVerifier.create(client.send(1025, target -> {})).verifyError(IllegalArgumentException.class);
        }
        send(client, 1).block(PATIENCE);
        assertThat(values(peer).next().block(PATIENCE)).isEqualTo(1);
    }

    @Test
    void aClientThatAsksForAReliableConnectionIsRefused() {
        StepVerifier.create(client().connect())
                .expectErrorSatisfies(e ->
                        assertThat(e).isInstanceOf(RdmaConnectException.class).hasMessageContaining("queuePairType"))
                .verify(PATIENCE);
    }

    @Test
    void theEndOfThePeerEndsTheReceiver() {
        client.disposeNow(PATIENCE);
        StepVerifier.create(peer.receiveOwned()).expectComplete().verify(PATIENCE);
    }

    /**
     * Sends values in order while the link is as the caller made it, and heals it for the last one. The receiver is
     * never full, so only the link loses messages.
     */
    final List<Integer> received(int count, Runnable heal) {
        Mono<List<Integer>> arriving =
                values(peer).takeUntil(value -> value == count).collectList().cache();
        arriving.subscribe();
        for (int i = 0; i < count; i++) {
            send(client, i).block(PATIENCE);
            if (i % (RECEIVES / 2) == 0) {
                settle();
            }
        }
        heal.run();
        settle();
        send(client, count).block(PATIENCE);
        return Objects.requireNonNull(arriving.block(PATIENCE));
    }

    /** Waits until the peer's application has taken what was sent. */
    private void settle() {
        fence();
        patiently().until(() -> peer.endpoint().outstandingReceives() == 0);
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1));
    }

    final long lost() {
        return peer.endpoint().lostMessages();
    }
}
