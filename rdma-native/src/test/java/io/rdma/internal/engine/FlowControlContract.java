package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Flow control between two peers of this library. The device is the judge: with {@code rnr_retry} 0, a single message
 * for which no receive is posted ends the connection (IB specification volume 1, 9.7.5.2.8). So every message that
 * completes here was sent within its credits.
 */
abstract class FlowControlContract extends ConnectedContract {
    private ConnectionOptions strict(int receiveBuffers) {
        return small().withReceiveBuffers(receiveBuffers, 256).withRnrRetry(rnrRetry());
    }

    /** Sends numbered messages, all submitted at once. */
    private List<Counted> send(Endpoint from, int count) {
        MemoryRegion region = from.memory().allocate(4L * count, Set.of(AccessFlag.LOCAL_WRITE));
        List<Counted> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            region.segment().setAtIndex(ValueLayout.JAVA_INT, i, i);
            RegisteredBuffer buffer = RegisteredBuffer.of(region, 4L * i, 4);
            operations.add(submit(from, WorkRequest.send(buffer, true)));
        }
        return operations;
    }

    private static ReceivedMessage next(Endpoint at) {
        return next(at.receives()::poll);
    }

    private static int number(ReceivedMessage message) {
        return message.segment().get(ValueLayout.JAVA_INT, 0);
    }

    private static void readAll(Endpoint at, int from, int to) {
        for (int i = from; i < to; i++) {
            try (ReceivedMessage message = next(at)) {
                assertThat(number(message)).isEqualTo(i);
            }
        }
    }

    private static void assertAllSent(List<Counted> operations) {
        operations.forEach(Counted::ended);
        assertThat(operations).allMatch(o -> o.error == null);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 100})
    void aSlowReceiverNeverGetsAMessageItHasNoReceiveFor(int receiveBuffers) {
        connect(strict(receiveBuffers));
        List<Counted> sent = send(client, 400);
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == receiveBuffers);
        await().atMost(PATIENCE).until(() -> client.inFlight() == 0); // waiting messages are not in the device
        await().atMost(PATIENCE)
                .until(() -> sent.stream().filter(o -> o.ends.get() == 1).count() == receiveBuffers);
        readAll(server, 0, 400);
        assertAllSent(sent);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5, 16})
    void twoPeersThatBothSendAndBothStopReadingGoOnWhenOneReads(int receiveBuffers) {
        connect(strict(receiveBuffers));
        List<Counted> there = send(client, 300);
        List<Counted> back = send(server, 300);
        for (Endpoint endpoint : List.of(client, server)) {
            await().atMost(PATIENCE).until(() -> endpoint.receives().outstanding() == receiveBuffers);
            await().atMost(PATIENCE).until(() -> endpoint.inFlight() == 0);
        }
        readAll(server, 0, 300); // the client reads nothing, but still receives control frames
        assertAllSent(there);
        readAll(client, 0, 300);
        assertAllSent(back);
    }

    /** Returns credits while the sender checks for them. A lost wake-up makes the test hang. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void creditsThatArriveDuringTheLastCheckAreSeen(int receiveBuffers) {
        connect(strict(receiveBuffers));
        for (int round = 0; round < 5; round++) {
            List<Counted> sent = send(client, 1_000);
            for (int i = 0; i < 1_000; i++) {
                ReceivedMessage message;
                while ((message = server.receives().poll()) == null) {
                    Thread.yield(); // polls without pause; the timeout of the test bounds it
                }
                assertThat(number(message)).isEqualTo(i);
                message.close();
            }
            assertAllSent(sent);
        }
    }

    @Test
    void aReceiverThatKeepsMessagesGetsAsManyAsItHasBuffersLeft() {
        connect(strict(8));
        List<Counted> sent = send(client, 500);
        List<ReceivedMessage> kept = new ArrayList<>();
        for (int i = 0; i < 7; i++) { // one buffer remains in circulation
            kept.add(next(server));
            assertThat(number(kept.get(i))).isEqualTo(i);
        }
        readAll(server, 7, 300);
        Collections.shuffle(kept, new Random(5)); // credits count, so the order of the returns does not matter
        kept.forEach(ReceivedMessage::close);
        readAll(server, 300, 500);
        assertAllSent(sent);
    }

    @Test
    void aBufferWhoseRepostWasDeferredIsPostedWhenTheOthersAreInUse() {
        connect(strict(8));
        List<Counted> sent = new ArrayList<>(send(client, 3));
        List<ReceivedMessage> kept = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            kept.add(next(server));
        }
        kept.removeFirst().close(); // too few for a post of its own
        sent.addAll(send(client, 6));
        for (int i = 0; i < 6; i++) { // the last message needs that buffer: the application keeps all others
            kept.add(next(server));
        }
        assertThat(number(kept.getLast())).isEqualTo(5);
        kept.forEach(ReceivedMessage::close);
        assertAllSent(sent);
    }

    @Test
    void writesWithImmediateTakeCreditsToo() {
        connect(strict(4));
        assumeImmediate();
        MemoryRegion target = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        List<Counted> operations = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            operations.add(submit(
                    client,
                    i % 2 == 0
                            ? WorkRequest.writeWithImmediate(source, target.remote(), i)
                            : WorkRequest.sendWithImmediate(source, i)));
        }
        for (int i = 0; i < 100; i++) {
            try (ReceivedMessage message = next(server)) {
                assertThat(message.immediate()).isEqualTo(i);
                assertThat(message.length()).isEqualTo(i % 2 == 0 ? 0 : 8);
            }
        }
        assertAllSent(operations);
        source.close();
    }

    @Test
    void oneSidedOperationsPassMessagesThatWaitForCredits() {
        connect(strict(2));
        List<Counted> messages = send(client, 50);
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer buffer = acquire(client).limit(8);
        assertThat(submit(client, WorkRequest.write(buffer, there.remote())).ended().error)
                .isNull();
        if (client.options().abilities().atomics()) {
            assertThat(submit(client, WorkRequest.fetchAndAdd(there.remote(), 3))
                            .ended()
                            .value)
                    .isZero();
        }
        assertThat(submit(client, WorkRequest.read(there.remote(), buffer)).ended().error)
                .isNull();
        assertThat(messages.stream().filter(o -> o.ends.get() == 1).count()).isEqualTo(2);
        buffer.close();
        readAll(server, 0, 50);
        assertAllSent(messages);
    }

    @Test
    void messagesThatWaitForCreditsCanBeAbandonedAndFailWithTheConnection() {
        connect(strict(2));
        List<Counted> messages = send(client, 20);
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 2);
        assertThat(messages.get(10).abandon()).isTrue();
        messages.subList(0, 2).forEach(Counted::ended); // they arrived, but their sender may not know it yet
        try (ReceivedMessage first = next(server)) {
            assertThat(number(first)).isZero();
        }
        client.close();
        client.closed().join();
        assertThat(messages.get(10).ends).hasValue(0);
        assertThat(messages.stream()
                        .filter(o -> o.error instanceof ConnectionClosedException)
                        .count())
                .isBetween(16L, 17L);
    }

    @Test
    void aPeerThatDoesNotCountGetsPlainMessages() {
        assumeReceiverNotReady();
        ConnectionOptions plain = small().withFlowControl(FlowControl.PLAIN);
        connect(small(), plain);
        List<Counted> sent = send(client, 100);
        await().atMost(PATIENCE).until(() -> server.receives().outstanding() == 8);
        await("the device waits, receiver not ready").atMost(PATIENCE).until(() -> client.inFlight() > 0);
        readAll(server, 0, 100);
        assertAllSent(sent);
        List<Counted> back = send(server, 100);
        readAll(client, 0, 100);
        assertAllSent(back);
        assertThat(resources.loops().getFirst().counters().creditFrames()).isZero();
    }

    /** With iWARP the server may not probe such a client, as it may not send before the client has. */
    @Test
    void theEndOfAPlainClientThatSentNothingIsNoticed() {
        connect(small().withFlowControl(FlowControl.PLAIN));
        client.close();
        assertThat(server.closed()).succeedsWithin(PATIENCE);
    }

    @Test
    void aStreamThatIsReadAtOnceNeedsFewControlFrames() {
        connect(strict(64));
        List<Counted> sent = send(client, 2_000);
        readAll(server, 0, 2_000);
        assertAllSent(sent);
        assertThat(resources.loops().getFirst().counters().creditFrames()).isLessThan(1_000);
    }
}
