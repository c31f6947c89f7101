package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Output of a byte stream whose write is cancelled, and begun again while a thread is still in it. */
class SoftByteOutputTest extends ConnectedContract {
    private ByteOutput output;

    @Override
    String device() {
        return "soft0";
    }

    @BeforeEach
    void begin() {
        connect(small());
        output = new ByteOutput(client);
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private void requireArrived(String text) {
        output.push();
        try (ReceivedMessage arrived = next(server.receives()::poll)) {
            assertThat(new String(arrived.toByteArray(), StandardCharsets.UTF_8))
                    .isEqualTo(text);
        }
    }

    @Test
    void aWriteThatBeganWaitsForThePutOfTheOneBefore() {
        long cancelled = output.begin();
        CompletableFuture<Boolean> again = new CompletableFuture<>();
        output.put(cancelled, room -> {
            Thread writer = Thread.ofPlatform().start(() -> {
                try {
                    again.complete(output.put(output.begin(), bytes("second")));
                } catch (RuntimeException e) {
                    again.completeExceptionally(e);
                }
            });
            await().atMost(PATIENCE)
                    .until(() ->
                            writer.getState() == Thread.State.WAITING || writer.getState() == Thread.State.TERMINATED);
            assertThat(again).isNotDone();
            room.put(bytes("first "));
        });
        assertThat(again).succeedsWithin(PATIENCE).isEqualTo(true);
        requireArrived("first second");
    }

    @Test
    void aCancelledWriteThatGoesOnPutsNothingIntoTheNextOne() {
        long cancelled = output.begin();
        output.put(cancelled, bytes("first "));
        long again = output.begin();
        ByteBuffer rest = bytes("late");
        assertThatThrownBy(() -> output.put(cancelled, rest)).hasMessageContaining("let one write at a time");
        assertThatThrownBy(() -> output.end(cancelled)).hasMessageContaining("let one write at a time");
        assertThat(rest.position()).isZero();
        output.put(again, bytes("second"));
        output.push();
        assertNext(server, "first second".length());
        output.put(again, bytes("third"));
        requireArrived("third");
    }

    @Test
    void aBufferThatComesForACancelledWriteIsKeptOrGivenBack() {
        RegisteredBuffer late = acquireExclusive(client);
        output.put(output.begin(), bytes("one"));
        output.fill(late);
        assertThat(client.sendBuffers().leased()).isEqualTo(1);
        requireArrived("one");
    }

    @Test
    void theEndOfTheConnectionGivesItsBufferBackAndRefusesWrites() {
        long turn = output.begin();
        output.put(turn, bytes("lost"));
        client.close();
        client.closed().join(); // nothingIsLeft finds the buffer
        assertThatThrownBy(() -> output.put(turn, bytes("more"))).isInstanceOf(ConnectionClosedException.class);
    }
}
