package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Messages that are lent for a call, and messages that are owned. The tests run twice: with paranoid leak detection no
 * handle is lent twice.
 */
@Tag("lent")
abstract class LentMessageContract extends ConnectedContract {
    private static final int BUFFERS = 8;
    private static final int SLOTS = BUFFERS + Credits.CONTROL_RECEIVES;
    private static final int MANY = 5 * SLOTS;
    /** Duration of the race. It is repeated as often as this allows, since few repetitions are close. */
    private static final long RACING_NANOS = 1_000_000_000;

    private static final boolean PARANOID = "paranoid".equals(System.getProperty("io.rdma.leakDetection"));

    private static ConnectionOptions strict() {
        return small().withReceiveBuffers(BUFFERS, 256).withRnrRetry(0);
    }

    private Counted send(int number) {
        RegisteredBuffer buffer = acquire(client).limit(Integer.BYTES);
        buffer.segment().set(ValueLayout.JAVA_INT, 0, number);
        return submit(client, WorkRequest.send(buffer, true));
    }

    private ReceivedMessage lent() {
        return next(server.receives()::lend);
    }

    private ReceivedMessage owned() {
        return next(server.receives()::poll);
    }

    private static int number(ReceivedMessage message) {
        assertThat(message.length()).isEqualTo(Integer.BYTES);
        assertThat(message.segment().byteSize()).isEqualTo(Integer.BYTES);
        return message.segment().get(ValueLayout.JAVA_INT, 0);
    }

    private static void assertFails(ReceivedMessage stale) {
        assertThat(stale.isClosed()).isTrue();
        assertThatThrownBy(stale::segment).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(stale::toByteArray).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aHandleThatWasKeptFailsWhileNoMessageIsLentAndWhileAnotherIs() {
        connect(strict());
        List<ReceivedMessage> kept = new ArrayList<>();
        for (int i = 0; i < BUFFERS; i++) {
            send(i);
            ReceivedMessage message = lent();
            assertThat(number(message)).isEqualTo(i);
            kept.forEach(LentMessageContract::assertFails);
            message.close();
            kept.add(message);
            kept.forEach(LentMessageContract::assertFails);
        }
    }

    /**
     * Receives as a sleeping receiver does: it sets its flag, polls once more, and then waits until the listener has
     * seen the flag.
     */
    @Test
    void aReceiverThatPollsAgainBeforeItWaitsIsNotifiedOfWhatItMissed() {
        connect(strict());
        AtomicBoolean waits = new AtomicBoolean();
        AtomicBoolean notified = new AtomicBoolean();
        server.receives().listener(() -> {
            if (waits.get()) {
                notified.set(true);
            }
        });
        SplittableRandom random = new SplittableRandom(1);
        long end = System.nanoTime() + RACING_NANOS;
        for (int i = 0; System.nanoTime() < end; i++) {
            send(i);
            for (int spins = random.nextInt(100); spins > 0; spins--) {
                Thread.onSpinWait();
            }
            waits.set(true);
            ReceivedMessage message = server.receives().lend();
            for (long deadline = System.nanoTime() + PATIENCE.toNanos(); message == null; ) {
                while (!notified.getAndSet(false)) {
                    assertThat(System.nanoTime())
                            .as("message %d was not told of", i)
                            .isLessThan(deadline);
                    Thread.yield();
                }
                message = server.receives().lend(); // null if the notification was for the message before
            }
            waits.set(false);
            assertThat(number(message)).isEqualTo(i);
            message.close();
        }
    }

    @Test
    void aBufferGoesBackOnceHoweverOftenItsHandlesAreClosed() {
        connect(strict());
        List<Counted> sent = new ArrayList<>();
        List<ReceivedMessage> kept = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            sent.add(send(i));
            ReceivedMessage message = lent();
            assertThat(number(message)).isEqualTo(i);
            assertThat(server.receives().outstanding()).isOne();
            if (i % 2 == 0) {
                message.close(); // closed early
                assertFails(message);
                assertThat(message.length()).isEqualTo(Integer.BYTES);
            }
            kept.forEach(ReceivedMessage::close); // may be this message, if it uses the same handle
            message.close();
            kept.add(message);
            assertThat(server.receives().outstanding()).isZero();
        }
        sent.forEach(Counted::ended);
        assertThat(sent).allMatch(o -> o.error == null);
    }

    @Test
    void ownedMessagesAreNeverUsedAgain() {
        connect(strict());
        Set<ReceivedMessage> all = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < MANY; i++) {
            send(2 * i);
            send(2 * i + 1);
            ReceivedMessage message = owned();
            assertThat(all.add(message)).isTrue();
            try (ReceivedMessage other = lent()) {
                assertThat(number(message)).isEqualTo(2 * i);
                assertThat(number(other)).isEqualTo(2 * i + 1);
                assertThat(all).doesNotContain(other);
            }
            assertThat(number(message)).isEqualTo(2 * i);
            message.close();
            all.forEach(LentMessageContract::assertFails);
        }
    }

    @Test
    void lentHandlesAreReusedUnlessLeakDetectionIsParanoid() {
        connect(strict());
        Set<ReceivedMessage> all = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < MANY; i++) {
            send(i);
            try (ReceivedMessage message = lent()) {
                all.add(message);
            }
        }
        if (PARANOID) {
            assertThat(all).hasSize(MANY);
        } else {
            assertThat(all).hasSizeLessThanOrEqualTo(SLOTS);
        }
    }

    /** Sends messages of all lengths through every buffer, with and without immediate data. */
    @Test
    void aMessageHasTheFieldsOfItsOwnCompletion() {
        connect(strict());
        assumeImmediate();
        MemoryRegion target = everything(server, 256);
        for (int i = 0; i < 3 * MANY; i++) {
            int length = i * 7 % 257;
            RegisteredBuffer buffer = acquire(client).limit(length);
            buffer.segment().asSlice(0, length).fill((byte) i);
            submit(
                    client,
                    switch (i % 3) {
                        case 0 -> WorkRequest.send(buffer, true);
                        case 1 -> WorkRequest.sendWithImmediate(buffer, i);
                        default -> WorkRequest.writeWithImmediate(buffer, target.remote(), i);
                    });
            if (i % 3 != 0) {
                buffer.close();
            }
            try (ReceivedMessage message = i % 4 == 0 ? owned() : lent()) {
                assertThat(message.length()).isEqualTo(i % 3 == 2 ? 0 : length);
                assertThat(message.segment().byteSize()).isEqualTo(message.length());
                for (byte each : message.toByteArray()) {
                    assertThat(each).isEqualTo((byte) i);
                }
                assertThat(message.hasInvalidatedKey()).isFalse();
                assertThat(message.hasImmediate()).isEqualTo(i % 3 != 0);
                if (i % 3 != 0) {
                    assertThat(message.immediate()).isEqualTo(i);
                }
            }
        }
    }

    @Test
    void messagesOutliveTheirConnectionAndTheLastFreesTheMemory() {
        connect(strict());
        for (int i = 0; i < 3; i++) {
            send(i).ended();
        }
        ReceivedMessage first = owned();
        ReceivedMessage second = owned();
        ReceivedMessage third = lent();
        client.close();
        server.close();
        server.closed().join();
        first.close();
        assertThat(number(second)).isOne();
        assertThat(number(third)).isEqualTo(2);
        second.close();
        assertThat(number(third)).isEqualTo(2);
        assertThat(server.receives().outstanding()).isOne();
        third.close(); // the close of the resources would find a region that is left open
    }
}
