package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.engine.ConnectionClosedException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Streams of messages that reuse buffers and operations, the same on every device. Every message arrives once, and
 * every buffer returns once.
 */
abstract class MessageStreamContract extends ConnectedContract {
    /** Stream that counts its messages, and keeps the first failure. */
    private static final class Counting extends MessageStream {
        final AtomicInteger sent = new AtomicInteger();
        final CompletableFuture<RuntimeException> failure = new CompletableFuture<>();

        Counting(Endpoint endpoint) {
            super(endpoint);
        }

        @Override
        protected void sent(int messages) {
            sent.incrementAndGet();
        }

        @Override
        protected void failed(RuntimeException error) {
            failure.complete(error);
        }
    }

    /** Waits with a short poll interval, because a test waits hundreds of times. */
    private static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(condition);
    }

    private void receiveAll() {
        ReceivedMessage message;
        while ((message = server.receives().poll()) != null) {
            message.close();
        }
    }

    @Test
    void fourBuffersCarryTwoThousandMessagesInOrder() {
        connect(small());
        Queue<Integer> received = new ConcurrentLinkedQueue<>();
        server.receives().listener(() -> {
            ReceivedMessage message;
            while ((message = server.receives().poll()) != null) {
                received.add(message.segment().get(ValueLayout.JAVA_INT_UNALIGNED, 0));
                message.close();
            }
        });
        Counting stream = new Counting(client);
        for (int i = 0; i < 2_000; i++) {
            RegisteredBuffer buffer = acquireExclusive(client);
            assertThat(buffer.place()).isBetween(0, 3);
            buffer.segment().set(ValueLayout.JAVA_INT_UNALIGNED, 0, i);
            stream.send(buffer.limit(Integer.BYTES));
        }
        await(() -> stream.sent.get() == 2_000);
        await(() -> received.size() == 2_000);
        assertThat(received)
                .containsExactlyElementsOf(IntStream.range(0, 2_000).boxed().toList());
        server.receives().listener(null);
        assertThat(stream.failure).isNotDone();
    }

    /**
     * Abandons streams while they send.
     *
     * @param receives whether the peer takes the messages that arrive; otherwise most messages wait for credits
     */
    @ParameterizedTest(name = "the peer receives: {0}")
    @ValueSource(booleans = {true, false})
    void anAbandonedStreamReturnsEveryBufferOnce(boolean receives) throws InterruptedException {
        connect(small());
        if (receives) {
            server.receives().listener(this::receiveAll);
        }
        for (int round = 0; round < 200; round++) {
            Counting stream = new Counting(client);
            AtomicInteger begun = new AtomicInteger();
            Thread sender = Thread.ofPlatform().start(() -> {
                while (begun.get() < Integer.MAX_VALUE / 2) {
                    RegisteredBuffer buffer = client.sendBuffers().tryAcquireExclusive();
                    if (buffer == null) {
                        Thread.onSpinWait();
                    } else {
                        stream.send(buffer.limit(Integer.BYTES));
                        begun.incrementAndGet();
                    }
                }
            });
            int before = round % 4;
            while (begun.get() < before) {
                Thread.onSpinWait();
            }
            stream.abandonAll();
            // From now on a buffer that is sent goes back at once, so the sender always finds buffers.
            int after = begun.get() + 8;
            await(() -> begun.get() >= after);
            begun.set(Integer.MAX_VALUE / 2);
            sender.join();
            await(() -> client.sendBuffers().leased() == 0);
            assertThat(stream.failure).isNotDone();
        }
        server.receives().listener(null);
    }

    @Test
    void anExclusiveBufferThatIsClosedTwiceIsNotInThePoolTwice() {
        connect(small());
        RegisteredBuffer buffer = acquireExclusive(client);
        buffer.close();
        assertThatThrownBy(buffer::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in its pool");
        assertThat(client.sendBuffers().leased()).isZero();
    }

    @Test
    void aMessageThatIsRefusedGivesItsBufferBack() {
        connect(small(), small().withReceiveBuffers(8, 64).withMaxMessageSize(64));
        Counting stream = new Counting(client);
        for (int i = 0; i < 8; i++) {
            RegisteredBuffer tooLong = acquireExclusive(client);
            assertThatThrownBy(() -> stream.send(tooLong)).isInstanceOf(IllegalArgumentException.class);
        }
        stream.send(acquireExclusive(client).limit(1));
        await(() -> stream.sent.get() == 1);
    }

    @Test
    void aLostConnectionFailsTheStreamAndGivesEveryBufferBack() {
        connect(small());
        Counting stream = new Counting(client);
        for (int i = 0; i < 4; i++) {
            stream.send(acquireExclusive(client).limit(1));
        }
        for (int i = 0; i < 8; i++) { // beyond the peer's receives: the last four wait for credits
            stream.send(acquireExclusive(client).limit(1));
        }
        client.close();
        assertThat(stream.failure).succeedsWithin(PATIENCE).isInstanceOf(ConnectionClosedException.class);
        await(() -> client.sendBuffers().leased() == 0);
    }
}
