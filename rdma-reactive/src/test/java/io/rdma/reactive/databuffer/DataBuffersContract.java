package io.rdma.reactive.databuffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.rdma.buffer.LeakDetector;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.testing.TestDevice;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;
import org.springframework.core.codec.CharSequenceEncoder;
import org.springframework.core.codec.DataBufferDecoder;
import org.springframework.core.codec.DataBufferEncoder;
import org.springframework.core.codec.DecodingException;
import org.springframework.core.codec.StringDecoder;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.http.MediaType;
import org.springframework.http.codec.cbor.JacksonCborDecoder;
import org.springframework.http.codec.cbor.JacksonCborEncoder;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import org.springframework.http.codec.protobuf.ProtobufDecoder;
import org.springframework.http.codec.protobuf.ProtobufEncoder;
import org.springframework.util.MimeTypeUtils;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Contract of messages as Spring's data buffers and through its codecs, the same on every device. Each test ends with
 * the check that all pools are whole.
 */
@Tag("alone")
abstract class DataBuffersContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MESSAGE = 1024;

    /** A value for all formats. */
    record Order(int number, String item, List<Double> prices) {}

    private final BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    private DisposableServer server;
    private RdmaConnection client;
    private RdmaConnection peer;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void connect() throws InterruptedException {
        TestDevice.assumed(device());
        server = RdmaServer.create()
                .device(device())
                .host("127.0.0.1")
                .receiveBuffers(8, MESSAGE)
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never();
                })
                .bindNow(PATIENCE);
        client = RdmaClient.create()
                .device(device())
                .host("127.0.0.1")
                .port(server.port())
                .receiveBuffers(8, MESSAGE)
                .sendBuffers(1, MESSAGE) // so that nothing can be copied from one into another
                .connectNow(PATIENCE);
        peer = Objects.requireNonNull(accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    @AfterEach
    void nothingIsLeft() {
        if (server == null) {
            return;
        }
        assertThat(peer.endpoint().outstandingReceives()).isZero();
        client.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
        for (RdmaConnection connection : List.of(client, peer)) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(connection.endpoint().inFlight()).isZero();
                assertThat(connection.endpoint().sendBuffers().leased()).isZero();
            });
        }
    }

    @AfterAll
    static void nothingWasDroppedOpen() {
        System.gc();
        assertThat(LeakDetector.reported()).as("leases that nobody closed").isZero();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void send(String text) {
        byte[] bytes = bytes(text);
        client.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)))
                .block(PATIENCE);
    }

    private int held() {
        return peer.endpoint().outstandingReceives();
    }

    @Test
    void theLastReleaseGivesTheReceiveBufferBack() {
        send("hello world");
        DataBuffer message =
                Objects.requireNonNull(RdmaDataBuffers.receive(peer).next().block(PATIENCE));
        assertThat(held()).isEqualTo(1);
        DataBuffer hello = message.split(5);
        DataBufferUtils.retain(message);
        assertThat(hello.toString(StandardCharsets.UTF_8)).isEqualTo("hello");
        assertThat(message.toString(StandardCharsets.UTF_8)).isEqualTo(" world");
        assertThat(DataBufferUtils.release(message)).isFalse();
        assertThat(DataBufferUtils.release(message)).isFalse();
        assertThat(held()).as("a part of it is held").isEqualTo(1);
        assertThat(DataBufferUtils.release(hello)).isTrue();
        assertThat(held()).isZero();
        assertThat(DataBufferUtils.release(hello)).as("once more").isFalse();
        assertThat(held()).isZero();
    }

    @Test
    void everyReceiveBufferComesBackOnceHoweverManyMessages() {
        int count = 100; // of which 8 at most can be here at once
        Mono<Void> sending = client.send(Flux.range(0, count), (n, target) -> 1 + n % 50);
        Flux<Integer> lengths = RdmaDataBuffers.receive(peer).take(count).map(buffer -> {
            int length = buffer.readableByteCount();
            DataBufferUtils.release(buffer);
            return length;
        });
        assertThat(Flux.merge(sending.cast(Integer.class), lengths)
                        .collectList()
                        .block(PATIENCE))
                .containsExactlyElementsOf(
                        IntStream.range(0, count).mapToObj(n -> 1 + n % 50).toList());
    }

    @Test
    void aRequestForOneMessageDeliversOne() {
        send("1");
        send("2");
        await().atMost(PATIENCE).until(() -> held() == 2);
        StepVerifier.create(RdmaDataBuffers.receive(peer), 1)
                .consumeNextWith(first -> {
                    assertThat(held()).isEqualTo(2); // one is delivered, one waits
                    DataBufferUtils.release(first);
                    assertThat(held()).isEqualTo(1);
                })
                .thenRequest(1)
                .consumeNextWith(DataBufferUtils::release)
                .thenCancel()
                .verify(PATIENCE);
    }

    private <T> void assertRoundTrip(DataBufferCodec<T> codec, List<T> values) {
        Mono<Void> sending = codec.send(client, Flux.fromIterable(values));
        assertThat(Flux.merge(sending.then(Mono.<T>empty()), codec.receive(peer).take(values.size()))
                        .collectList()
                        .block(PATIENCE))
                .isEqualTo(values);
    }

    /** Returns orders, one of which is larger than a send buffer. */
    private static List<Order> orders() {
        return List.of(
                new Order(1, "bolt", List.of(0.5, 0.25)),
                new Order(2, "x".repeat(5 * MESSAGE), List.of()),
                new Order(3, "nut", List.of(1.0)));
    }

    @Test
    void jsonComesAndGoes() {
        assertRoundTrip(
                DataBufferCodec.of(
                        Order.class, new JacksonJsonEncoder(), new JacksonJsonDecoder(), MediaType.APPLICATION_JSON),
                orders());
    }

    @Test
    void genericTypesComeAndGo() {
        assertRoundTrip(
                DataBufferCodec.<Map<String, Order>>of(
                        ResolvableType.forClassWithGenerics(Map.class, String.class, Order.class),
                        new JacksonJsonEncoder(),
                        new JacksonJsonDecoder(),
                        MediaType.APPLICATION_JSON),
                List.of(Map.of("a", orders().get(0)), Map.of("b", orders().get(1))));
    }

    @Test
    void cborComesAndGoes() {
        assertRoundTrip(
                DataBufferCodec.of(
                        Order.class, new JacksonCborEncoder(), new JacksonCborDecoder(), MediaType.APPLICATION_CBOR),
                orders());
    }

    @Test
    void protobufComesAndGoes() {
        List<Struct> structs = orders().stream()
                .map(order -> Struct.newBuilder()
                        .putFields(
                                "item",
                                Value.newBuilder().setStringValue(order.item()).build())
                        .build())
                .toList();
        assertRoundTrip(
                DataBufferCodec.of(
                        Struct.class, new ProtobufEncoder(), new ProtobufDecoder(), MediaType.APPLICATION_PROTOBUF),
                structs);
    }

    @Test
    void textComesAndGoes() {
        assertRoundTrip(
                DataBufferCodec.of(
                        String.class,
                        CharSequenceEncoder.textPlainOnly(),
                        StringDecoder.textPlainOnly(),
                        MimeTypeUtils.TEXT_PLAIN),
                List.of("grün", "", "ü".repeat(3 * MESSAGE), "end"));
    }

    @Test
    void aDecoderMayKeepTheBuffer() {
        DataBufferCodec<DataBuffer> codec = DataBufferCodec.of(
                DataBuffer.class, new DataBufferEncoder(), new DataBufferDecoder(), MimeTypeUtils.ALL);
        Mono<Void> sending = codec.send(client, Mono.just(DefaultDataBufferFactory.sharedInstance.wrap(bytes("kept"))));
        DataBuffer kept =
                Objects.requireNonNull(sending.then(codec.receive(peer).next()).block(PATIENCE));
        assertThat(held()).isEqualTo(1);
        assertThat(kept.toString(StandardCharsets.UTF_8)).isEqualTo("kept");
        DataBufferUtils.release(kept);
    }

    @Test
    void aMessageThatCannotBeDecodedIsAnErrorAndTheNextOneIsNot() {
        DataBufferCodec<Order> codec = DataBufferCodec.of(
                Order.class, new JacksonJsonEncoder(), new JacksonJsonDecoder(), MediaType.APPLICATION_JSON);
        send("{\"number\": ");
        send("null");
        send("{\"number\": 7}");
        StepVerifier.create(codec.receive(peer))
                .expectError(DecodingException.class)
                .verify(PATIENCE);
        StepVerifier.create(codec.receive(peer).next())
                .expectNext(new Order(7, null, null))
                .expectComplete()
                .verify(PATIENCE);
    }

    @Test
    void aFormatThatACodecDoesNotSupportIsRefusedAtOnce() {
        assertThatThrownBy(() -> DataBufferCodec.of(
                        Order.class, new JacksonJsonEncoder(), new JacksonCborDecoder(), MediaType.APPLICATION_JSON))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not decode");
        assertThatThrownBy(() -> DataBufferCodec.of(
                        Order.class, new JacksonCborEncoder(), new JacksonJsonDecoder(), MediaType.APPLICATION_JSON))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("does not encode");
    }

    @Test
    void aBufferOfTheFactoryIsSentWithoutACopy() {
        NettyDataBuffer message = RdmaDataBuffers.factory(client).allocateBuffer(5);
        assertThat(client.endpoint().sendBuffers().leased()).isEqualTo(1);
        message.write("hello", StandardCharsets.UTF_8);
        // A copy would wait for a send buffer. There is only one, which the message holds.
        RdmaDataBuffers.send(client, message).block(PATIENCE);
        assertThat(client.endpoint().sendBuffers().leased()).isZero();
        assertThat(peer.receive(m -> new String(m.toByteArray(), StandardCharsets.UTF_8))
                        .blockFirst(PATIENCE))
                .isEqualTo("hello");
    }

    @Test
    void aLeaseIsSentAndABufferThatOutgrewItsLeaseIsCopied() {
        Mono<List<String>> received = peer.receive(m -> new String(m.toByteArray(), StandardCharsets.UTF_8))
                .take(4)
                .collectList()
                .cache();
        received.subscribe(); // the send of a large message ends when the peer has read it
        NettyDataBuffer wrapped =
                RdmaDataBuffers.wrap(Objects.requireNonNull(client.acquire().block(PATIENCE)));
        assertThat(wrapped.capacity()).isEqualTo(MESSAGE);
        RdmaDataBuffers.send(client, wrapped.write(bytes("lease"))).block(PATIENCE);

        NettyDataBuffer grown = RdmaDataBuffers.factory(client).allocateBuffer(5);
        grown.write("x".repeat(MESSAGE + 1), StandardCharsets.UTF_8);
        RdmaDataBuffers.send(client, grown).block(PATIENCE); // copied into memory of its own

        NettyDataBuffer nettys = RdmaDataBuffers.factory(client).allocateBuffer(MESSAGE + 1);
        assertThat(client.endpoint().sendBuffers().leased()).isZero();
        nettys.write("no lease", StandardCharsets.UTF_8).read(new byte[3]); // the unread rest is sent
        RdmaDataBuffers.send(client, nettys).block(PATIENCE);
        RdmaDataBuffers.send(client, DefaultDataBufferFactory.sharedInstance.wrap(bytes("heap")))
                .block(PATIENCE);
        assertThat(received.block(PATIENCE)).containsExactly("lease", "x".repeat(MESSAGE + 1), "lease", "heap");
    }

    @Test
    void aCancelReleasesTheMessage() {
        for (int i = 0; i < 8; i++) {
            send("until there is no receive for more");
        }
        NettyDataBuffer lease = RdmaDataBuffers.factory(client).allocateBuffer(5);
        Disposable sending =
                RdmaDataBuffers.send(client, lease.write(bytes("late"))).subscribe();
        sending.dispose();
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(client.endpoint().sendBuffers().leased()).isZero());
        assertThat(lease.isAllocated()).isFalse();
        RdmaDataBuffers.receive(peer).take(8).doOnNext(DataBufferUtils::release).blockLast(PATIENCE);
    }
}
