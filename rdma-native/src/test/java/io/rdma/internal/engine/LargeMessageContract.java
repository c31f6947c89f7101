package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.types.AccessFlag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages that are larger than a receive buffer. They are announced, and the peer reads them when its application
 * takes them.
 */
abstract class LargeMessageContract extends ConnectedContract {
    private static final int MEBI = 1 << 20;

    private ConnectionOptions options() {
        return small().withRnrRetry(rnrRetry()).withMaxMessageSize(64 * MEBI);
    }

    private RegisteredBuffer random(int bytes, long seed) {
        RegisteredBuffer buffer = client.memory().allocateBuffer(bytes);
        byte[] content = new byte[bytes];
        new Random(seed).nextBytes(content);
        buffer.segment().copyFrom(MemorySegment.ofArray(content));
        return buffer;
    }

    private ReceivedMessage next() {
        return next(server.receives()::poll);
    }

    /** The frames lie behind the buffers, so that the size of a buffer decides how they are aligned. */
    @ParameterizedTest
    @ValueSource(ints = {33, 157, 1022})
    void receiveBuffersMayHaveAnySize(int size) {
        connect(options().withReceiveBuffers(8, size));
        for (int bytes : new int[] {1, size, size + 1}) {
            RegisteredBuffer buffer = random(bytes, bytes);
            Counted sent = submit(client, WorkRequest.send(buffer, false));
            try (ReceivedMessage message = next()) {
                assertThat(message.length()).isEqualTo(bytes);
                assertThat(message.segment().mismatch(buffer.segment())).isEqualTo(-1);
            }
            assertThat(sent.ended().error).isNull();
            buffer.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096})
    void aConnectionThatNoApplicationGetsDropsItsMessages(int bytes) {
        connect(options());
        RegisteredBuffer buffer = random(bytes, bytes);
        submit(client, WorkRequest.send(buffer, false));
        await().atMost(PATIENCE).until(() -> !server.receives().isEmpty());
        server.discard();
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(server.receives().outstanding()).isZero());
        buffer.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {257, 4096, MEBI, MEBI + 1, 9 * MEBI - 3})
    void everyByteArrives(int bytes) {
        connect(options());
        RegisteredBuffer buffer = random(bytes, bytes);
        Counted sent = submit(client, WorkRequest.send(buffer, false));
        assertThat(sent.ends).hasValue(0); // the peer's application has not taken it yet
        try (ReceivedMessage message = next()) {
            assertThat(message.length()).isEqualTo(bytes);
            assertThat(sent.ended().error).isNull();
            assertThat(message.segment().mismatch(buffer.segment())).isEqualTo(-1);
            assertThat(buffer.segment().isReadOnly())
                    .as("the buffer is the sender's again")
                    .isFalse();
        }
        buffer.close();
    }

    @Test
    void smallAndLargeMessagesKeepTheirOrder() {
        connect(options());
        assumeImmediate();
        List<Counted> sent = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            int bytes = i % 3 == 0 ? 100_000 + i : 1 + i;
            RegisteredBuffer buffer = client.memory().allocateBuffer(bytes);
            buffer.segment().fill((byte) i);
            sent.add(submit(
                    client, i % 2 == 0 ? WorkRequest.send(buffer, false) : WorkRequest.sendWithImmediate(buffer, i)));
            buffer.close(); // the engine holds it as long as it needs it
        }
        for (int i = 0; i < 60; i++) {
            try (ReceivedMessage message = next()) {
                assertThat(message.length()).isEqualTo(i % 3 == 0 ? 100_000 + i : 1 + i);
                assertThat(message.hasImmediate()).isEqualTo(i % 2 == 1);
                assertThat(message.segment().get(ValueLayout.JAVA_BYTE, message.length() - 1L))
                        .isEqualTo((byte) i);
            }
        }
        sent.forEach(Counted::ended);
        assertThat(sent).allMatch(o -> o.error == null);
    }

    @Test
    void aMessageThatIsNotTakenIsNeverReadAndFailsWithTheConnection() {
        connect(options());
        RegisteredBuffer buffer = random(MEBI, 1);
        Counted sent = submit(client, WorkRequest.send(buffer, false));
        Counted abandoned = submit(client, WorkRequest.send(buffer, false));
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 2);
        assertThat(abandoned.abandon()).isTrue();
        assertThat(buffer.segment().isReadOnly())
                .as("announced: the peer may read it any time")
                .isTrue();
        buffer.close();
        client.close();
        assertThat(sent.ended().error)
                .isInstanceOfSatisfying(
                        ConnectionClosedException.class,
                        e -> assertThat(e.mayHaveExecuted()).isTrue());
        assertThat(abandoned.ends).hasValue(0);
    }

    @Test
    void noMessageBehindOneThatIsLostIsDelivered() {
        connect(options());
        List<Counted> sent = new ArrayList<>();
        for (int bytes : new int[] {1, MEBI, MEBI, 2}) {
            RegisteredBuffer buffer = random(bytes, bytes);
            sent.add(submit(client, WorkRequest.send(buffer, false)));
            buffer.close();
        }
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == sent.size());
        client.abort(new IllegalStateException("the sender gives up"));
        server.closed().join();
        try (ReceivedMessage first = next()) {
            assertThat(first.length()).isEqualTo(1);
        }
        assertThat(server.receives().poll()).as("it could not be read").isNull();
        assertThat(server.receives().poll()).as("those behind it").isNull();
        assertThat(server.receives().isEmpty()).isTrue();
        assertThat(server.receives().outstanding()).as("all buffers are back").isZero();
        sent.forEach(Counted::ended);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCloseDuringAFetchEndsEverything(boolean bySender) {
        connect(options());
        RegisteredBuffer buffer = random(32 * MEBI, 2);
        Counted sent = submit(client, WorkRequest.send(buffer, true));
        await().atMost(PATIENCE)
                .until(() -> !server.receives().isEmpty() || server.receives().outstanding() == 1);
        ReceivedMessage already = server.receives().poll(); // begins the read
        if (already != null) { // this thread was delayed until the message was there
            already.close();
        }
        (bySender ? client : server).close();
        sent.ended();
        server.closed().join();
        await().atMost(PATIENCE).until(() -> {
            ReceivedMessage message = server.receives().poll();
            if (message != null) {
                message.close();
            }
            return server.receives().outstanding() == 0;
        });
        assumeThat(already).as("it was still being read").isNull();
    }

    @Test
    void aMessageOutlivesItsConnection() {
        connect(options());
        RegisteredBuffer buffer = random(MEBI, 3);
        submit(client, WorkRequest.send(buffer, false));
        ReceivedMessage message = next();
        client.close();
        server.closed().join();
        assertThat(message.segment().mismatch(buffer.segment())).isEqualTo(-1);
        message.close();
        buffer.close();
    }

    @Test
    void aMessageLongerThanThePeerAcceptsIsRefused() {
        connect(options(), options().withMaxMessageSize(1000));
        RegisteredBuffer buffer =
                RegisteredBuffer.of(client.memory().allocate(1001, Set.of(AccessFlag.LOCAL_WRITE)), 0, 1001);
        assertThatThrownBy(() -> submit(client, WorkRequest.send(buffer, false)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("maxMessageSize");
        Counted fits = submit(client, WorkRequest.send(buffer.limit(1000), false));
        next().close();
        assertThat(fits.ended().error).isNull();
        buffer.close();
    }

    @Test
    void withoutCreditsAReceiveBufferIsTheLimit() {
        connect(options(), options().withFlowControl(FlowControl.PLAIN));
        RegisteredBuffer buffer =
                RegisteredBuffer.of(client.memory().allocate(257, Set.of(AccessFlag.LOCAL_WRITE)), 0, 257);
        assertThatThrownBy(() -> submit(client, WorkRequest.send(buffer, false)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("receiveBuffers");
        buffer.close();
    }
}
