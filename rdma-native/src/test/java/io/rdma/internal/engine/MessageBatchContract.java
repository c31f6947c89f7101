package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.ConnectionOptions;
import io.rdma.types.RdmaException;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Small messages that share a SEND. With {@code rnr_retry} 0 the device is the judge of the credits: a SEND without a
 * receive ends the connection.
 */
abstract class MessageBatchContract extends ConnectedContract {
    /** Stream whose test flushes. */
    private static final class Batching extends MessageStream {
        final AtomicInteger sent = new AtomicInteger();
        final AtomicInteger ends = new AtomicInteger();
        private final Endpoint endpoint;
        private RegisteredBuffer spare;

        Batching(Endpoint endpoint) {
            super(endpoint);
            this.endpoint = endpoint;
        }

        void add(byte... message) {
            RegisteredBuffer buffer = spare == null ? acquireExclusive(endpoint) : spare;
            buffer.segment().asByteBuffer().put(message);
            spare = add(buffer.limit(message.length));
        }

        void send() {
            flush();
            closeSpare();
        }

        void closeSpare() {
            if (spare != null) {
                spare.close();
                spare = null;
            }
        }

        @Override
        protected void sent(int messages) {
            sent.addAndGet(messages);
            ends.incrementAndGet();
        }

        @Override
        protected void failed(RuntimeException error) {
            throw error;
        }
    }

    private ConnectionOptions options() {
        return ConnectionOptions.DEFAULT
                .withQueuePair(ConnectionOptions.DEFAULT.queuePair().withMaxSendWr(16))
                .withReceiveBuffers(4, 4096)
                .withSendBuffers(4, 4096)
                .withRnrRetry(rnrRetry());
    }

    private static byte[] message(int number, int length) {
        byte[] message = new byte[length];
        Arrays.fill(message, (byte) number);
        return message;
    }

    private ReceivedMessage poll() {
        return next(server.receives()::poll);
    }

    private void assertNext(byte... expected) {
        try (ReceivedMessage message = poll()) {
            assertThat(message.toByteArray()).isEqualTo(expected);
        }
    }

    private static void assertSent(Batching stream, int messages) {
        await().atMost(PATIENCE).until(() -> stream.sent.get() == messages);
        assertThat(stream.sent).hasValue(messages);
    }

    @Test
    void messagesThatAreAddedShareASendAndAReceive() {
        connect(options());
        Batching stream = new Batching(client);
        int[] lengths = {0, 1, 7, 8, 9, 64, 0, 100, 3};
        long before = client.counters().posted();
        for (int i = 0; i < lengths.length; i++) {
            stream.add(message(i, lengths[i]));
        }
        assertThat(client.counters().posted()).isEqualTo(before); // nothing goes before the flush
        stream.send();
        List<ReceivedMessage> messages = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            ReceivedMessage message = poll();
            assertThat(message.toByteArray()).isEqualTo(message(i, lengths[i]));
            assertThat(message.address() % 8).as("alignment of message %d", i).isZero();
            messages.add(message);
        }
        assertSent(stream, lengths.length);
        assertThat(stream.ends).hasValue(1);
        assertThat(client.counters().posted()).isEqualTo(before + 1);
        for (ReceivedMessage message : messages) {
            assertThat(server.receives().outstanding()).isOne();
            message.close();
            message.close(); // does nothing
        }
        assertThat(server.receives().outstanding()).isZero();
    }

    @Test
    void aSingleMessageIsSentAsItIs() {
        connect(options());
        Batching stream = new Batching(client);
        stream.add(message(1, 5));
        stream.send();
        assertNext(message(1, 5));
        assertSent(stream, 1);
    }

    /** Sends 200 messages of 64 bytes. With 4 bytes of the table each, 60 of them fill the 4,080 bytes of a SEND. */
    @Test
    void aFullBatchGoesWithoutAFlush() {
        connect(options().withReceiveBuffers(8, 8192).withSendBuffers(8, 8192));
        Batching stream = new Batching(client);
        for (int i = 0; i < 200; i++) {
            stream.add(message(i, 64));
        }
        assertSent(stream, 180);
        assertThat(stream.ends).hasValue(3);
        stream.send();
        assertSent(stream, 200);
        assertThat(stream.ends).hasValue(4);
        for (int i = 0; i < 200; i++) {
            assertNext(message(i, 64));
        }
    }

    @Test
    void longerMessagesKeepTheirPlace() {
        connect(options());
        Batching stream = new Batching(client);
        Random random = new Random(3);
        List<byte[]> messages = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] message = message(i, random.nextInt(5) == 0 ? 1000 + random.nextInt(3000) : random.nextInt(200));
            messages.add(message);
        }
        Thread sender = Thread.ofPlatform().start(() -> {
            for (byte[] message : messages) {
                stream.add(message);
                if (message.length % 7 == 0) {
                    stream.send();
                }
            }
            stream.send();
        });
        messages.forEach(this::assertNext);
        assertSent(stream, 300);
        assertThat(sender).satisfies(thread -> thread.join());
        assertThat(stream.ends.get()).isLessThan(200);
    }

    /**
     * Closes the messages of batches in any order, as their consumer or as other threads do, and keeps some open. A
     * buffer that comes back too early would be overwritten, one that does not come back stops the sender.
     */
    @Tag("lent")
    @ParameterizedTest(name = "lent: {0}")
    @ValueSource(booleans = {false, true})
    void aReceiveIsPostedAgainWhenTheLastOfItsMessagesIsClosed(boolean lent) throws InterruptedException {
        connect(options());
        Batching stream = new Batching(client);
        Random random = new Random(11);
        for (int round = 0; round < 300; round++) {
            int count = 1 + random.nextInt(20);
            for (int i = 0; i < count; i++) {
                stream.add(message(round + i, 4));
            }
            stream.send();
            List<ReceivedMessage> open = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ReceivedMessage message = lent ? next(server.receives()::lend) : poll();
                assertThat(message.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) (round + i));
                switch (random.nextInt(4)) {
                    case 0 -> message.close();
                    case 1 -> server.receives().close(message);
                    case 2 -> {
                        message.close();
                        server.receives().close(message);
                        assertThat(message.isClosed()).isTrue();
                    }
                    default -> open.add(message);
                }
            }
            Collections.shuffle(open, random);
            int half = open.size() / 2;
            Thread other = Thread.ofPlatform().start(() -> open.subList(0, half).forEach(ReceivedMessage::close));
            open.subList(half, open.size()).forEach(ReceivedMessage::close);
            other.join();
            assertThat(server.receives().outstanding()).isZero();
        }
    }

    @Test
    void anAbandonedStreamDropsItsOpenBatch() {
        connect(options());
        Batching abandoned = new Batching(client);
        abandoned.add(message(1, 8));
        abandoned.add(message(2, 8));
        abandoned.abandonAll();
        abandoned.send();
        assertThat(client.sendBuffers().leased()).isZero();
        abandoned.add(message(3, 8));
        abandoned.closeSpare();
        assertThat(client.sendBuffers().leased()).isZero();
        Batching other = new Batching(client);
        other.add(message(4, 8));
        other.send();
        assertNext(message(4, 8));
        assertThat(abandoned.sent).hasValue(0);
    }

    @Test
    void messagesOfABatchArriveBeforeTheEnd() {
        connect(options());
        Batching stream = new Batching(client);
        stream.add(message(1, 8));
        stream.add(message(2, 8));
        stream.add(message(3, 8));
        stream.send();
        assertSent(stream, 3);
        stream.finished();
        ReceivedMessage first = poll();
        client.close();
        await().atMost(PATIENCE).until(() -> server.receives().isTerminated());
        assertThat(server.failure()).isNull();
        assertThat(first.toByteArray()).isEqualTo(message(1, 8));
        assertNext(message(2, 8));
        first.close();
        assertNext(message(3, 8));
        assertThat(server.receives().outstanding()).isZero();
    }

    private static Counted send(Endpoint from, int number) {
        RegisteredBuffer buffer = acquire(from).limit(Integer.BYTES);
        buffer.segment().set(ValueLayout.JAVA_INT, 0, number);
        return submit(from, WorkRequest.send(buffer, true));
    }

    private void assertNumber(int expected) {
        try (ReceivedMessage message = poll()) {
            assertThat(message.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(expected);
        }
    }

    /** Options with so many send buffers that all messages of a test can wait at once. */
    private ConnectionOptions many() {
        return options().withSendBuffers(256, 4096);
    }

    /** Submits messages until the peer has no receive left, and then more. Returns those that wait. */
    private List<Counted> waiting(int count) {
        for (int i = 0; i < 4; i++) {
            send(client, -1).ended();
        }
        List<Counted> waiting = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waiting.add(send(client, i));
        }
        return waiting;
    }

    private void readFirst() {
        for (int i = 0; i < 4; i++) {
            assertNumber(-1);
        }
    }

    @Test
    void sendsThatWaitForCreditsShareASend() {
        connect(many());
        List<Counted> waiting = waiting(200);
        long before = client.counters().posted();
        readFirst();
        for (int i = 0; i < 200; i++) {
            assertNumber(i);
        }
        assertThat(waiting).allSatisfy(one -> assertThat(one.ended().error).isNull());
        assertThat(waiting).allSatisfy(one -> assertThat(one.ends).hasValue(1));
        assertThat(client.counters().posted() - before).isLessThan(10); // with control frames
    }

    @Test
    void sendsThatAreCancelledWhileTheyWaitAreLeftOut() {
        connect(many());
        List<Counted> waiting = waiting(100);
        for (int i = 0; i < 100; i += 3) {
            assertThat(waiting.get(i).abandon()).isTrue();
        }
        readFirst();
        for (int i = 0; i < 100; i++) {
            if (i % 3 != 0) {
                assertNumber(i);
                assertThat(waiting.get(i).ended().error).isNull();
            }
        }
        for (int i = 0; i < 100; i += 3) {
            assertThat(waiting.get(i).ends).hasValue(0);
        }
        exchange(client, server);
    }

    /** Messages with immediate data, and long ones, have a SEND of their own, in its place. */
    @Test
    void otherMessagesKeepTheirPlaceAmongThoseThatShare() {
        connect(many());
        assumeImmediate();
        List<Counted> waiting = waiting(10);
        try (RegisteredBuffer buffer = acquire(client).limit(2)) {
            waiting.add(submit(client, WorkRequest.sendWithImmediate(buffer, 77)));
        }
        try (RegisteredBuffer buffer = acquire(client).limit(2000)) {
            waiting.add(submit(client, WorkRequest.send(buffer, false)));
        }
        waiting.add(send(client, 12));
        waiting.add(send(client, 13));
        readFirst();
        for (int i = 0; i < 10; i++) {
            assertNumber(i);
        }
        try (ReceivedMessage message = poll()) {
            assertThat(message.immediate()).isEqualTo(77);
        }
        try (ReceivedMessage message = poll()) {
            assertThat(message.length()).isEqualTo(2000);
            assertThat(message.hasImmediate()).isFalse();
        }
        assertNumber(12);
        assertNumber(13);
        assertThat(waiting).allSatisfy(one -> assertThat(one.ended().error).isNull());
    }

    /** Sends 20 messages for each that arrives, from the end of another. All that a listener submits goes together. */
    @Test
    void sendsOfAListenerShareASend() {
        connect(many());
        List<Counted> sent = Collections.synchronizedList(new ArrayList<>());
        RegisteredBuffer buffer = acquire(client).limit(Integer.BYTES);
        buffer.segment().set(ValueLayout.JAVA_INT, 0, -1);
        long before = client.counters().posted();
        Counted first = new Counted(WorkRequest.send(buffer, true)) {
            @Override
            protected void completed(long result) {
                for (int i = 0; i < 20; i++) {
                    sent.add(send(client, i));
                }
                super.completed(result);
            }
        };
        client.submit(first);
        assertThat(first.ended().error).isNull();
        assertNumber(-1);
        for (int i = 0; i < 20; i++) {
            assertNumber(i);
        }
        assertThat(sent)
                .hasSize(20)
                .allSatisfy(one -> assertThat(one.ended().error).isNull());
        assertThat(client.counters().posted() - before).isLessThan(8); // 2 and control frames
    }

    /** Closes a connection while messages wait and others are posted. Each ends once. */
    @Test
    void everySendThatSharesEndsOnceWithItsConnection() {
        for (int round = 0; round < 20; round++) {
            connect(many());
            List<Counted> waiting = waiting(60);
            for (int i = 0; i < round % 5; i++) {
                assertNumber(-1);
            }
            (round % 2 == 0 ? client : server).close();
            for (Counted one : waiting) {
                one.ended();
                assertThat(one.error)
                        .satisfiesAnyOf(
                                error -> assertThat(error).isNull(),
                                error -> assertThat(error).isInstanceOf(RdmaException.class));
            }
            client.closed().join();
            server.close();
            server.closed().join();
            server.receives().discard();
            assertThat(waiting).allSatisfy(one -> assertThat(one.ends).hasValue(1));
            assertThat(client.sendBuffers().leased()).isZero();
            assertThat(server.receives().outstanding()).isZero();
        }
    }

    @Test
    void sendsOfSeveralThreadsShareSendsAndKeepTheOrderOfEachThread() throws InterruptedException {
        connect(options().withSendBuffers(64, 4096).withReceiveBuffers(16, 4096));
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int base = t << 16;
            threads.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 1_000; i++) {
                    send(client, base + i);
                }
            }));
        }
        int[] next = new int[4];
        for (int i = 0; i < 4_000; i++) {
            try (ReceivedMessage message = poll()) {
                int number = message.segment().get(ValueLayout.JAVA_INT, 0);
                assertThat(number & 0xffff).isEqualTo(next[number >> 16]++);
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void connectionsThatShareReceivesShareSendsToo() {
        assumeReceiverNotReady();
        shareReceives(8, 4096);
        connect(options());
        Batching stream = new Batching(client);
        for (int round = 0; round < 40; round++) {
            stream.add(message(round, 10));
            stream.add(message(round, 20));
            stream.send();
            assertNext(message(round, 10));
            assertNext(message(round, 20));
        }
        assertSent(stream, 80);
        assertThat(stream.ends).hasValue(40);
    }

    @Test
    void buffersThatAreTooSmallToBeSharedAreNot() {
        connect(options(), options().withReceiveBuffers(4, 1023));
        assertThat(client.options().batchBytes()).isZero();
        assertThat(server.options().batchBytes()).isEqualTo(4080);
        Batching stream = new Batching(client);
        stream.add(message(1, 8));
        assertNext(message(1, 8)); // without a flush
    }
}
