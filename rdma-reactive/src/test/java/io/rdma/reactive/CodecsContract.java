package io.rdma.reactive;

import static io.rdma.reactive.ContractPair.LARGE;
import static io.rdma.reactive.ContractPair.PATIENCE;
import static io.rdma.reactive.ContractPair.SEND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.MessageDecodingException;
import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/**
 * Contract of values as messages, the same on every device. Each test ends with the check that nothing is in flight
 * and all pools are whole.
 */
abstract class CodecsContract {
    private record Point(int x, int y) {}

    private static final MessageCodec<Point> POINTS = MessageCodec.of(CodecsContract::encode, CodecsContract::decode);

    private ContractPair pair;
    private RdmaConnection client;
    private RdmaConnection peer;

    /** Returns the name of the device. */
    abstract String device();

    private static int encode(Point point, MemorySegment target) {
        target.set(ValueLayout.JAVA_INT_UNALIGNED, 0, point.x);
        target.set(ValueLayout.JAVA_INT_UNALIGNED, 4, point.y);
        return 8;
    }

    private static Point decode(ReceivedMessage message) {
        MemorySegment bytes = message.segment();
        if (bytes.byteSize() != 8) {
            throw new IllegalArgumentException("a point has 8 bytes");
        }
        return new Point(bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 0), bytes.get(ValueLayout.JAVA_INT_UNALIGNED, 4));
    }

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

    private byte[] next() {
        return Objects.requireNonNull(peer.receive().asByteArray().next().block(PATIENCE));
    }

    @Test
    void valuesArriveAsTheyWereSent() {
        client.sendObject(new Point(1, 2), POINTS).block(PATIENCE);
        client.sendObject(new Point(3, 4), CodecsContract::encode).block(PATIENCE);
        client.send(Flux.just(new Point(5, 6), new Point(7, 8)), POINTS).block(PATIENCE);
        client.send(Flux.just(new Point(9, 10)), CodecsContract::encode).block(PATIENCE);
        assertThat(peer.receive().as(POINTS).take(4).collectList().block(PATIENCE))
                .containsExactly(new Point(1, 2), new Point(3, 4), new Point(5, 6), new Point(7, 8));
        assertThat(peer.receive(POINTS).next().block(PATIENCE)).isEqualTo(new Point(9, 10));
    }

    @Test
    void aMessageThatIsNoValueEndsTheStreamAndTheNextSubscriberGoesOn() {
        client.sendObject(new Point(1, 1), POINTS).block(PATIENCE);
        client.send("no point").then(client.send("none")).block(PATIENCE);
        client.sendObject(new Point(2, 2), POINTS).block(PATIENCE);
        StepVerifier.create(peer.receive().as(POINTS))
                .expectNext(new Point(1, 1))
                .expectNextCount(1) // eight letters are a point
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(MessageDecodingException.class)
                        .hasMessageContaining("message of 4 bytes")
                        .hasMessageContaining("same codec")
                        .hasCauseInstanceOf(IllegalArgumentException.class))
                .verify(PATIENCE);
        assertThat(peer.receive().as(POINTS).next().block(PATIENCE)).isEqualTo(new Point(2, 2));
    }

    @Test
    @SuppressWarnings("NullAway") // a decoder that breaks its contract
    void aDecoderThatReturnsNullEndsTheStream() {
        MessageCodec<String> none = MessageCodec.of(MessageCodec.utf8(), message -> null);
        client.sendObject("a", none).block(PATIENCE);
        assertThatThrownBy(() -> peer.receive().as(none).blockFirst(PATIENCE))
                .isInstanceOf(MessageDecodingException.class)
                .hasMessageContaining("null");
        client.sendObject("b", none).block(PATIENCE);
        assertThat(peer.receive().asString().next().block(PATIENCE)).isEqualTo("b");
    }

    @Test
    void aValueThatIsNestedTooDeeplyEndsTheStream() {
        MessageCodec<String> nested = MessageCodec.of(MessageCodec.utf8(), message -> {
            throw new StackOverflowError("on purpose");
        });
        client.sendObject("a", nested).then(client.send("b")).block(PATIENCE);
        assertThatThrownBy(() -> peer.receive().as(nested).blockFirst(PATIENCE))
                .isInstanceOf(MessageDecodingException.class)
                .hasMessageContaining("same codec")
                .hasCauseInstanceOf(StackOverflowError.class);
        assertThat(peer.receive().asString().next().block(PATIENCE)).isEqualTo("b");
    }

    @Test
    void aVersionIsFourBytesInFrontOfTheValue() {
        MessageCodec<String> second = MessageCodec.versioned(0x01020304, MessageCodec.utf8());
        client.sendObject("hi", second).block(PATIENCE);
        assertThat(next()).containsExactly(1, 2, 3, 4, 'h', 'i');
        client.send(new byte[] {1, 2, 3, 4, 'y', 'o'}).block(PATIENCE);
        assertThat(peer.receive().as(second).next().block(PATIENCE)).isEqualTo("yo");
    }

    @Test
    void anotherVersionEndsTheStreamAndTheNextSubscriberGoesOn() {
        MessageCodec<String> first = MessageCodec.versioned(1, MessageCodec.utf8());
        MessageCodec<String> second = MessageCodec.versioned(2, MessageCodec.utf8());
        client.sendObject("old", first).block(PATIENCE);
        client.send("x").block(PATIENCE);
        client.sendObject("new", second).block(PATIENCE);
        StepVerifier.create(peer.receive().as(second))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(MessageDecodingException.class)
                        .hasMessageContaining("version 1, this codec reads version 2")
                        .hasMessageContaining("let both sides"))
                .verify(PATIENCE);
        StepVerifier.create(peer.receive().as(second))
                .expectErrorSatisfies(error -> assertThat(error)
                        .isInstanceOf(MessageDecodingException.class)
                        .hasMessageContaining("message of 1 bytes has no version"))
                .verify(PATIENCE);
        assertThat(peer.receive().as(second).next().block(PATIENCE)).isEqualTo("new");
    }

    @Test
    void versionedValuesOfAnyLengthArrive() {
        MessageCodec<byte[]> bytes = MessageCodec.versioned(1, MessageCodec.bytes());
        MessageCodec<String> text = MessageCodec.versioned(1, MessageCodec.versioned(2, MessageCodec.utf8()));
        for (int length : new int[] {0, 1, SEND - 8, SEND - 7, SEND - 4, SEND - 3, SEND, LARGE - 8}) {
            byte[] letters = new byte[length];
            java.util.Arrays.fill(letters, (byte) 'a');
            String letter = new String(letters, StandardCharsets.US_ASCII);
            Mono.when(client.sendObject(letters, bytes), client.send(Mono.just(letters), bytes))
                    .subscribe();
            assertThat(peer.receive().as(bytes).take(2).collectList().block(PATIENCE))
                    .as("%d bytes", length)
                    .containsExactly(letters, letters);
            Mono.when(client.sendObject(letter, text), client.send(Mono.just(letter), text))
                    .subscribe();
            assertThat(peer.receive().as(text).take(2).collectList().block(PATIENCE))
                    .isEqualTo(List.of(letter, letter));
        }
        assertThatThrownBy(() -> client.sendObject(new byte[LARGE - 3], bytes).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize");
    }

    @Test
    void theBodyOfAVersionedMessageIsLentForTheCall() {
        AtomicReference<ReceivedMessage> kept = new AtomicReference<>();
        MessageCodec<String> codec = MessageCodec.versioned(1, MessageCodec.of(MessageCodec.utf8(), message -> {
            kept.set(message);
            return new String(message.toByteArray(), StandardCharsets.UTF_8);
        }));
        client.sendObject("lent", codec).block(PATIENCE);
        assertThat(peer.receive().as(codec).next().block(PATIENCE)).isEqualTo("lent");
        assertThatThrownBy(() -> kept.get().segment())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void anEncoderThatFailsEndsItsSendOnly() {
        assertThatThrownBy(() -> client.sendObject("x", (item, target) -> {
                            throw new IllegalStateException("the encoder's own");
                        })
                        .block(PATIENCE))
                .hasMessage("the encoder's own");
        assertThatThrownBy(() -> client.sendObject("x", (item, target) -> {
                            if (target.byteSize() == SEND) {
                                return -LARGE;
                            }
                            throw new AssertionError("the encoder's own, later");
                        })
                        .block(PATIENCE))
                .hasStackTraceContaining("the encoder's own, later");
        assertThatThrownBy(
                        () -> client.sendObject("x", (item, target) -> -LARGE).block(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("exact");
        assertThatThrownBy(
                        () -> client.sendObject("x", (item, target) -> SEND + 1).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the encoder reported");
        assertThatThrownBy(() -> client.sendObject("x", (item, target) -> -SEND).block(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the encoder asked for");
        client.send("fine").block(PATIENCE);
        assertThat(peer.receive().asString().next().block(PATIENCE)).isEqualTo("fine");
    }

    @Test
    void sendsOnAClosedConnectionFail() {
        client.disposeNow(PATIENCE);
        for (Mono<Void> send : List.of(
                client.send("x"),
                client.send(new byte[1]),
                client.send(java.nio.ByteBuffer.allocateDirect(1)),
                client.send("x".repeat(SEND + 1)),
                client.sendObject(new Point(1, 1), POINTS),
                client.sendString(Mono.just("x")))) {
            assertThatThrownBy(() -> send.block(PATIENCE)).isInstanceOf(io.rdma.engine.ConnectionClosedException.class);
        }
        assertThat(client.receive().asString().collectList().block(PATIENCE)).isEmpty();
    }
}
