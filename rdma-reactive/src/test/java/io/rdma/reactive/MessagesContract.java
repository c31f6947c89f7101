package io.rdma.reactive;

import static io.rdma.reactive.ContractPair.LARGE;
import static io.rdma.reactive.ContractPair.PATIENCE;
import static io.rdma.reactive.ContractPair.RECEIVES;
import static io.rdma.reactive.ContractPair.SEND;
import static io.rdma.reactive.ContractPair.SENDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Contract of text and bytes as messages, the same on every device. Each test ends with the check that nothing is in
 * flight and all pools are whole.
 */
abstract class MessagesContract {
    private static final String CLEF = "\uD834\uDD1E"; // U+1D11E, four bytes in UTF-8

    /** Ways to send bytes as one message. */
    private static final Map<String, BiFunction<RdmaConnection, byte[], Mono<Void>>> BYTES = new TreeMap<>(Map.of(
            "array", RdmaConnection::send,
            "value", (to, bytes) -> to.sendObject(bytes, MessageCodec.bytes()),
            "arrays", (to, bytes) -> to.sendByteArray(Mono.just(bytes)),
            "heap buffer", (to, bytes) -> to.send(ByteBuffer.wrap(bytes)),
            "read-only heap buffer",
                    (to, bytes) -> to.send(ByteBuffer.wrap(bytes).asReadOnlyBuffer()),
            "direct buffer", (to, bytes) -> to.send(direct(bytes)),
            "read-only direct buffer", (to, bytes) -> to.send(direct(bytes).asReadOnlyBuffer()),
            "registered buffer", (to, bytes) -> to.send(registered(to, bytes)),
            "leased buffer", MessagesContract::sendLeased));

    private ContractPair pair;
    private RdmaConnection client;
    private RdmaConnection peer;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void connect() throws InterruptedException {
        pair = new ContractPair(device());
        client = pair.client;
        peer = pair.peer;
    }

    @AfterEach
    void nothingIsLeft() {
        if (pair != null) {
            pair.close();
        }
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** Returns a view of memory that the connection has registered. */
    private static ByteBuffer registered(RdmaConnection connection, byte[] bytes) {
        MemoryRegion region = Objects.requireNonNull(
                connection.allocate(bytes.length + 1L, AccessFlag.LOCAL_WRITE).block(PATIENCE));
        return region.segment().asByteBuffer().put(bytes).flip();
    }

    /** Sends a view of a buffer of the pool, if the bytes fit into one. */
    private static Mono<Void> sendLeased(RdmaConnection connection, byte[] bytes) {
        if (bytes.length > SEND) {
            return connection.send(bytes);
        }
        return connection
                .acquire()
                .flatMap(buffer -> connection
                        .send(buffer.segment().asByteBuffer().put(bytes).flip())
                        .doFinally(end -> buffer.close()));
    }

    private byte[] next(RdmaConnection from) {
        return Objects.requireNonNull(from.receive().asByteArray().next().block(PATIENCE));
    }

    private void assertStillWorks() {
        client.send("fine").block(PATIENCE);
        assertThat(peer.receive().asString().next().block(PATIENCE)).isEqualTo("fine");
    }

    @Test
    void aTextArrivesInEachForm() {
        String text = "größer als 4 €, " + CLEF;
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        Flux.range(0, 5).concatMap(i -> client.send(text)).blockLast(PATIENCE);
        InboundMessages received = peer.receive();
        assertThat(received.asString().next().block(PATIENCE)).isEqualTo(text);
        assertThat(received.asString(StandardCharsets.ISO_8859_1).next().block(PATIENCE))
                .isEqualTo(new String(bytes, StandardCharsets.ISO_8859_1));
        assertThat(received.asByteArray().next().block(PATIENCE)).isEqualTo(bytes);
        assertThat(received.asByteBuffer().next().block(PATIENCE)).isEqualTo(ByteBuffer.wrap(bytes));
        assertThat(received.as(MessageCodec.utf8()).next().block(PATIENCE)).isEqualTo(text);
    }

    @Test
    void bothSidesSendText() {
        Disposable echo = peer.sendString(peer.receive().asString().map(String::toUpperCase))
                .subscribe();
        client.sendString(Flux.just("one", "two", "three")).block(PATIENCE);
        assertThat(client.receive().asString().take(3).collectList().block(PATIENCE))
                .containsExactly("ONE", "TWO", "THREE");
        echo.dispose();
    }

    @Test
    void bytesOfEveryLengthArriveHoweverTheyAreSent() {
        Random random = new Random(7);
        for (int length : new int[] {0, 1, 17, SEND - 1, SEND, SEND + 1, LARGE}) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            BYTES.forEach((form, send) -> {
                Mono<byte[]> both = peer.receive()
                        .asByteArray()
                        .next()
                        .mergeWith(send.apply(client, bytes).cast(byte[].class))
                        .next();
                assertThat(both.block(PATIENCE))
                        .as("%s of %d bytes", form, length)
                        .isEqualTo(bytes);
            });
        }
    }

    @Test
    void oneByteTooManyIsRefusedAndTheConnectionGoesOn() {
        byte[] bytes = new byte[LARGE + 1];
        BYTES.forEach((form, send) -> assertThatThrownBy(
                        () -> send.apply(client, bytes).block(PATIENCE))
                .as(form)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize"));
        for (Mono<Void> text : List.of(
                client.send("a".repeat(LARGE + 1)),
                client.send(CLEF.repeat(LARGE / 4) + "a"),
                client.sendString(Mono.just("a".repeat(LARGE + 1))))) {
            assertThatThrownBy(() -> text.block(PATIENCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxMessageSize");
        }
        assertStillWorks();
    }

    /** Checks texts whose characters of several bytes lie across the end of a send buffer. */
    @Test
    void aTextThatIsLongerThanASendBufferArrivesWhole() {
        for (int before = SEND - 5; before <= SEND + 1; before++) {
            for (String end : List.of("", CLEF, "€", "ü" + CLEF + CLEF, "\uD834", CLEF + "\uDD1E")) {
                String text = "a".repeat(before) + end;
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                client.send(text).subscribe();
                assertThat(next(peer)).as("%d and %s", before, end).isEqualTo(bytes);
                client.sendString(Mono.just(text)).subscribe();
                assertThat(next(peer)).as("%d and %s", before, end).isEqualTo(bytes);
            }
        }
        String longest = CLEF.repeat(LARGE / 4);
        client.send(longest).subscribe();
        assertThat(peer.receive().asString().next().block(PATIENCE)).isEqualTo(longest);
    }

    /** Compares with the JDK's encoder, also for surrogates without their pair. */
    @Test
    void anyTextIsEncodedAsTheJdkDoes() {
        Random random = new Random(11);
        int[] bounds = {0x80, 0x800, 0xD800, 0xE000, 0x10000};
        for (int round = 0; round < 300; round++) {
            char[] chars = new char[random.nextInt(40)];
            for (int i = 0; i < chars.length; i++) {
                chars[i] = (char) random.nextInt(bounds[random.nextInt(bounds.length)]);
                if (random.nextInt(3) == 0) {
                    chars[i] = (char) (0xD800 + random.nextInt(0x800));
                }
            }
            String text = new String(chars);
            client.send(text).block(PATIENCE);
            assertThat(next(peer)).isEqualTo(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void bytesThatAreNoTextAreReplaced() {
        byte[] bytes = {'a', (byte) 0xFF, 'b', (byte) 0xE2, (byte) 0x82};
        client.send(bytes).block(PATIENCE);
        assertThat(peer.receive().asString().next().block(PATIENCE)).isEqualTo("a\uFFFDb\uFFFD");
        client.send(bytes).block(PATIENCE);
        assertThat(peer.receive().asString(Charset.forName("US-ASCII")).next().block(PATIENCE))
                .isEqualTo("a\uFFFDb\uFFFD\uFFFD");
    }

    @Test
    void aByteBufferIsSentFromItsPositionToItsLimitAndStaysAsItIs() {
        byte[] bytes = "0123456789".getBytes(StandardCharsets.US_ASCII);
        for (ByteBuffer buffer : List.of(
                ByteBuffer.wrap(bytes),
                ByteBuffer.wrap(bytes, 1, 9).slice().position(0),
                direct(bytes),
                direct(bytes).asReadOnlyBuffer(),
                registered(client, bytes))) {
            int first = buffer.capacity() == 9 ? 2 : 3;
            buffer.position(first).limit(first + 4);
            Mono<Void> sending = client.send(buffer);
            sending.block(PATIENCE);
            assertThat(buffer.position()).isEqualTo(first);
            assertThat(buffer.limit()).isEqualTo(first + 4);
            assertThat(next(peer)).asString(StandardCharsets.US_ASCII).isEqualTo("3456");
            buffer.clear();
            sending.block(PATIENCE); // a second subscription sends the same part
            assertThat(next(peer)).asString(StandardCharsets.US_ASCII).isEqualTo("3456");
        }
    }

    /** Takes all send buffers, so that a message that is copied waits. */
    private List<RegisteredBuffer> takeSendBuffers() {
        return Objects.requireNonNull(Flux.range(0, SENDS)
                .concatMap(i -> client.acquire())
                .collectList()
                .block(PATIENCE));
    }

    @Test
    void aByteBufferInRegisteredMemoryIsNotCopied() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment own = arena.allocate(64);
            own.setString(0, "registered");
            Objects.requireNonNull(client.register(own).block(PATIENCE)).close();
            ByteBuffer allocated = registered(client, "allocated".getBytes(StandardCharsets.US_ASCII));
            List<RegisteredBuffer> taken = takeSendBuffers();
            client.send(allocated.asReadOnlyBuffer()).block(PATIENCE);
            client.send(own.asSlice(0, 10).asByteBuffer()).block(PATIENCE);
            assertThat(peer.receive().asString().take(2).collectList().block(PATIENCE))
                    .containsExactly("allocated", "registered");
            Disposable copied = client.send(ByteBuffer.allocateDirect(1)).subscribe();
            Disposable view =
                    client.send(taken.getFirst().segment().asByteBuffer()).subscribe();
            assertThat(copied.isDisposed() || view.isDisposed())
                    .as("sent without a buffer")
                    .isFalse();
            copied.dispose();
            view.dispose();
            taken.forEach(RegisteredBuffer::close);
        }
        assertStillWorks();
    }

    @Test
    void aRegionThatIsClosedDuringASendIsFreedWhenTheDeviceIsDone() {
        byte[] bytes = new byte[LARGE];
        new Random(3).nextBytes(bytes);
        MemoryRegion region = Objects.requireNonNull(
                client.allocate(LARGE, AccessFlag.LOCAL_WRITE).block(PATIENCE));
        ByteBuffer view = region.segment().asByteBuffer().put(bytes).flip();
        Disposable sending = client.send(view).subscribe(); // the peer reads it when it receives
        region.close();
        assertThat(region.segment().scope().isAlive()).isTrue();
        assertThat(next(peer)).isEqualTo(bytes);
        await().atMost(PATIENCE).until(sending::isDisposed);
        await().atMost(PATIENCE).until(() -> !region.segment().scope().isAlive());
        assertThatThrownBy(() -> client.send(view).block(PATIENCE)).isInstanceOf(IllegalStateException.class);
        assertStillWorks();
    }

    @Test
    void aSendThatIsCancelledWhileItWaitsIsNeverSent() {
        Flux.range(0, RECEIVES).concatMap(i -> client.send("fills the ring")).blockLast(PATIENCE);
        BYTES.forEach((form, send) -> send.apply(client, form.getBytes(StandardCharsets.US_ASCII))
                .subscribe()
                .dispose());
        client.send("never sent").subscribe().dispose();
        List<RegisteredBuffer> taken = takeSendBuffers(); // so every cancelled send has returned its buffer
        client.send("waits for a buffer").subscribe().dispose();
        taken.forEach(RegisteredBuffer::close);
        assertThat(peer.receive()
                        .asString()
                        .mergeWith(client.send("last").cast(String.class))
                        .takeUntil("last"::equals)
                        .collectList()
                        .block(PATIENCE))
                .hasSize(RECEIVES + 1)
                .allMatch(text -> text.equals("last") || text.equals("fills the ring"));
    }

    @Test
    void aSendThatIsCancelledLosesNothing() {
        byte[] large = new byte[LARGE];
        Disposable reading = peer.receive().asByteArray().subscribe();
        for (int round = 0; round < 20; round++) {
            boolean odd = round % 2 == 1;
            BYTES.forEach((form, send) -> {
                if (!form.equals("registered buffer")) { // it would allocate a region each time
                    Disposable sending =
                            send.apply(client, odd ? large : new byte[9]).subscribe();
                    Thread.yield();
                    sending.dispose();
                }
            });
            client.send("x".repeat(LARGE)).subscribe().dispose();
        }
        reading.dispose();
        await().atMost(PATIENCE).until(() -> client.endpoint().sendBuffers().leased() == 0);
        assertThat(peer.receive()
                        .asByteArray()
                        .mergeWith(client.send("last").cast(byte[].class))
                        .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                        .takeUntil("last"::equals)
                        .last()
                        .block(PATIENCE))
                .isEqualTo("last");
    }
}
