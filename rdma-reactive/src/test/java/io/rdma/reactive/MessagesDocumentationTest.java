package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.MessageDecodingException;
import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests of the snippets in docs/guide/messages.md and of the first service, which are quoted from this file. */
@Timeout(180)
class MessagesDocumentationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void firstService() {
        DisposableServer server = RdmaServer.create()
                .host("0.0.0.0")
                .port(7471)
                .handle(connection -> connection.sendString(connection.receive().asString()))
                .bindNow();
        RdmaConnection connection =
                RdmaClient.create().host("localhost").port(7471).connectNow();
        String answer = connection
                .send("hello")
                .then(connection.receive().asString().next())
                .block();
        System.out.println(answer);
        connection.disposeNow();
        assertThat(answer).isEqualTo("hello");
        server.disposeNow();
    }

    /** A value to send. */
    record Reading(int sensor, double value) {
        static int encode(Reading reading, MemorySegment target) {
            target.set(ValueLayout.JAVA_INT_UNALIGNED, 0, reading.sensor);
            target.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, 4, reading.value);
            return 12;
        }

        static Reading decode(ReceivedMessage message) {
            MemorySegment bytes = message.segment();
            return new Reading(
                    bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0), bytes.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, 4));
        }

        static final MessageCodec<Reading> CODEC =
                MessageCodec.versioned(1, MessageCodec.of(Reading::encode, Reading::decode));
    }

    @Test
    void forms() {
        withAnEcho(RdmaClient.create(), connection -> {
            byte[] bytes = "array".getBytes(StandardCharsets.UTF_8);
            ByteBuffer buffer = ByteBuffer.wrap(bytes);
            Flux<String> lines = Flux.just("one", "two");
            Mono<Void> sent = connection
                    .send("a text")
                    .then(connection.send(bytes))
                    .then(connection.send(buffer)) // from its position to its limit
                    .then(connection.sendString(lines)); // a message each

            InboundMessages messages = connection.receive();
            Flux<String> texts = messages.asString();
            Flux<byte[]> arrays = messages.asByteArray();
            sent.block(PATIENCE);
            assertThat(texts.take(2).collectList().block(PATIENCE)).containsExactly("a text", "array");
            assertThat(arrays.next().block(PATIENCE)).isEqualTo(bytes);
            assertThat(texts.take(2).collectList().block(PATIENCE)).containsExactly("one", "two");
        });
    }

    @Test
    void values() {
        Flux<Reading> readings = Flux.just(new Reading(2, 0.5), new Reading(3, 1.5));
        Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
        withAnEcho(RdmaClient.create(), connection -> {
            Mono<Void> one = connection.sendObject(new Reading(1, 20.5), Reading.CODEC);
            Mono<Void> many = connection.send(readings, Reading.CODEC);
            one.then(connection.send("not a reading")).then(many).block(PATIENCE);

            Flux<Reading> received = connection
                    .receive()
                    .as(Reading.CODEC)
                    .doOnError(MessageDecodingException.class, reported::add)
                    .retry(); // goes on with the next message
            assertThat(received.take(3).collectList().block(PATIENCE))
                    .containsExactly(new Reading(1, 20.5), new Reading(2, 0.5), new Reading(3, 1.5));
        });
        assertThat(reported).hasSize(1);
    }

    @Test
    void byteStream() {
        withAnEcho(RdmaClient.create(), connection -> {
            ByteBuffer header = ByteBuffer.wrap("length: 4".getBytes(StandardCharsets.UTF_8));
            ByteBuffer body = ByteBuffer.wrap("body".getBytes(StandardCharsets.UTF_8));
            RdmaByteStream stream = RdmaByteStream.of(connection);
            Mono<Void> written = stream.write(header) // collected in a send buffer
                    .then(stream.write(body))
                    .then(stream.flush()) // leaves now
                    .then(stream.end()); // completes when the peer's device has everything
            Flux<ByteBuffer> read = stream.read(); // completes after the peer's end
            written.block(PATIENCE);
            assertThat(read.map(bytes -> StandardCharsets.UTF_8.decode(bytes).toString())
                            .collectList()
                            .block(PATIENCE))
                    .containsExactly("length: 4body");
        });
    }

    @Test
    void hooks() {
        List<String> log = new CopyOnWriteArrayList<>();
        Set<RdmaConnection> clients = ConcurrentHashMap.newKeySet();
        RdmaServer server = RdmaServer.create()
                .doOnBound(bound -> log.add("listening on " + bound.port()))
                .doOnConnection(connection -> {
                    clients.add(connection);
                    connection.onDispose().subscribe(null, null, () -> clients.remove(connection));
                })
                .doOnUnbound(closed -> log.add("closed"));
        RdmaClient client = RdmaClient.create()
                .doOnConnected(connection -> log.add("connected to " + connection.remoteAddress()))
                .doOnDisconnected(connection -> log.add("disconnected"));
        withAnEcho(server, client, connection -> assertThat(clients).hasSize(1));
        await().atMost(PATIENCE).until(() -> log.size() == 4 && clients.isEmpty());
    }

    @Test
    void wiretap() {
        RdmaClient client = RdmaClient.create().wiretap("com.example.orders");
        withAnEcho(client, connection -> assertThat(connection).isInstanceOf(TappedConnection.class));
    }

    private static void withAnEcho(RdmaClient client, java.util.function.Consumer<RdmaConnection> test) {
        withAnEcho(RdmaServer.create(), client, test);
    }

    private static void withAnEcho(
            RdmaServer with, RdmaClient client, java.util.function.Consumer<RdmaConnection> test) {
        DisposableServer server = with.device("soft0")
                .host("127.0.0.1")
                .handle(connection ->
                        connection.sendByteArray(connection.receive().asByteArray()))
                .bindNow(PATIENCE);
        try {
            RdmaConnection connection =
                    client.device("soft0").host("127.0.0.1").port(server.port()).connectNow(PATIENCE);
            connection.send("ready").block(PATIENCE);
            assertThat(connection.receive().asString().blockFirst(PATIENCE)).isEqualTo("ready");
            test.accept(connection);
            connection.disposeNow(PATIENCE);
        } finally {
            server.disposeNow(PATIENCE);
        }
    }
}
