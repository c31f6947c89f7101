package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

    /** Leases the buffers of the client, except one that the output may have, and returns the last one. */
    private RegisteredBuffer onlyBuffer(List<RegisteredBuffer> others) {
        while (client.sendBuffers().leased() < client.sendBuffers().count() - 1) {
            others.add(acquireExclusive(client));
        }
        return acquireExclusive(client);
    }

    @Test
    void aBufferThatComesForAWriteIsKeptUnlessItHasOne() {
        long turn = output.begin();
        output.fill(turn, acquireExclusive(client));
        output.fill(turn, acquireExclusive(client));
        assertThat(client.sendBuffers().leased()).isEqualTo(1);
        output.put(turn, bytes("one"));
        requireArrived("one");
    }

    /** It may be the only one, for which the next write waits. The code of that write runs outside the lock. */
    @Test
    void aBufferThatComesForACancelledWriteIsGivenToTheNextOne() {
        List<RegisteredBuffer> others = new ArrayList<>();
        RegisteredBuffer late = onlyBuffer(others);
        long cancelled = output.begin();
        long again = output.begin();
        assertThat(output.put(again, bytes("one"))).isFalse();
        CompletableFuture<Long> unlocked = new CompletableFuture<>();
        client.sendBuffers().acquire(new BufferWaiter(true) {
            @Override
            public void acquired(RegisteredBuffer buffer) {
                unlocked.complete(CompletableFuture.supplyAsync(output::beginEnd)
                        .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .join());
                buffer.close();
            }

            @Override
            public void failed(RuntimeException error) {
                unlocked.completeExceptionally(error);
            }
        });
        output.fill(cancelled, late);
        assertThat(unlocked).isCompletedWithValue(again + 1);
        others.forEach(RegisteredBuffer::close);
    }

    @Test
    void anEndThatBeginsDuringAnotherOneJoinsIt() {
        List<RegisteredBuffer> others = new ArrayList<>();
        RegisteredBuffer only = onlyBuffer(others);
        long first = output.beginEnd();
        assertThat(output.end(first)).isFalse();
        long second = output.beginEnd();
        assertThat(output.end(second)).isFalse();
        output.fill(first, only); // the caller may be cancelled now
        assertNext(server, 0);
        assertThat(output.end(second)).isTrue();
        assertThat(output.end(first)).isTrue();
        assertThat(output.delivered()).succeedsWithin(PATIENCE);
        RegisteredBuffer back = acquireExclusive(client);
        output.fill(second, back);
        others.forEach(RegisteredBuffer::close);
        assertThat(client.sendBuffers().leased()).isZero();
    }

    @Test
    void aWriteThatBeginsDuringAnEndTakesItsPlace() {
        long end = output.beginEnd();
        long write = output.begin();
        assertThatThrownBy(() -> output.end(end)).hasMessageContaining("a later write");
        assertThat(output.put(write, bytes("one"))).isTrue();
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
