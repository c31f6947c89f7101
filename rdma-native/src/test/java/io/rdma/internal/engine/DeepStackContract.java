package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.BufferWaiter;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.os.StackRoom;
import io.rdma.testing.FullStack;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * An application exhausts its stack around a call of the engine, catches the error, and goes on. The call has taken
 * place, or it has done nothing: no operation is lost, and no connection or pool is harmed.
 */
abstract class DeepStackContract extends ConnectedContract {
    private static final int TIMES = 200;
    private static final int LARGE = 8;
    private static final int ROUNDS = 5; // of a second each: the loop's stack is large

    /** Submits of one request by the client, and those that StackOverflowError refused. */
    private final class Submits implements Runnable {
        private final WorkRequest request;
        private final List<Counted> submitted = new ArrayList<>();
        private final List<Counted> refused = new ArrayList<>();

        Submits(WorkRequest request) {
            this.request = request;
        }

        @Override
        public void run() {
            Counted operation = new Counted(request);
            try {
                client.submit(operation);
            } catch (StackOverflowError e) {
                refused.add(operation);
                throw e;
            }
            submitted.add(operation);
        }

        void eachSucceeds() {
            submitted.forEach(Counted::ended);
            assertThat(submitted).isNotEmpty().allMatch(o -> o.error == null && o.ends.get() == 1);
        }

        /** Checks that a refused submit does nothing, and that the connection still works. */
        void theRefusedDidNothing() {
            exchange(client, server); // later than any operation that was submitted all the same
            // Empty if a compiler has joined the submit with `run`, which is refused as a whole then.
            assertThat(refused).allMatch(o -> o.ends.get() == 0);
            exchange(server, client);
        }
    }

    @Test
    void submits() throws InterruptedException {
        connect(small());
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        WorkRequest request = WorkRequest.write(source, there.remote());
        submit(client, request).ended(); // loads the classes
        Submits submits = new Submits(request);
        FullStack.atEachDepth(TIMES, submits);
        submits.eachSucceeds();
        source.close();
        submits.theRefusedDidNothing();
    }

    /** Returns the number of full stacks around submits of large messages: enough to have their methods compiled. */
    int largeRounds() {
        return 30;
    }

    @Test
    void submitsOfLargeMessages() throws InterruptedException {
        connect(small());
        RegisteredBuffer message = client.memory().allocateBuffer(1_000);
        Submits submits = new Submits(WorkRequest.send(message, false));
        for (int round = 1; round <= largeRounds(); round++) {
            FullStack.atEachDepth(LARGE, submits);
            for (int i = 0; i < LARGE; i++) {
                try (ReceivedMessage received = next(server.receives()::poll)) {
                    assertThat(received.length()).isEqualTo(1_000);
                }
            }
            assertThat(submits.submitted).hasSize(round * LARGE);
            submits.eachSucceeds(); // before the next round: the peer has few receives
        }
        message.close(); // nothing borrows it any more, or the domain is not empty at the end
        submits.theRefusedDidNothing();
    }

    @Test
    void submitsOfAListener() throws InterruptedException {
        connect(small());
        MemoryRegion there = everything(server, 8);
        RegisteredBuffer source = acquire(client).limit(8);
        WorkRequest request = WorkRequest.write(source, there.remote());
        Submits submits = new Submits(request);
        for (int round = 0; round < ROUNDS; round++) {
            CountDownLatch listened = new CountDownLatch(1);
            client.submit(new Counted(request) {
                @Override
                protected void completed(long value) { // on the loop, which posts at once what its listeners submit
                    FullStack.atEachDepthHere(4, submits);
                    listened.countDown();
                }
            });
            assertThat(listened.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(submits.submitted).hasSize(4 * ROUNDS);
        submits.eachSucceeds();
        source.close();
        submits.theRefusedDidNothing();
    }

    @Test
    void streams() throws InterruptedException {
        connect(small());
        server.receives().listener(() -> server.receives().discard());
        AtomicInteger delivered = new AtomicInteger();
        MessageStream stream = new MessageStream(client) {
            @Override
            protected void sent(int messages) {
                delivered.incrementAndGet();
            }

            @Override
            protected void failed(RuntimeException error) {
                throw error;
            }
        };
        int[] sent = {0};
        Runnable send = () -> {
            // As the front-ends do before they take a buffer. A send that the compiler has joined with its submit tests
            // for the room of both at its entry, where it cannot close the message.
            StackRoom.require(StackRoom.SIGNAL);
            RegisteredBuffer message = client.sendBuffers().tryAcquireExclusive();
            if (message != null) { // else all are in flight
                stream.send(message.limit(8));
                sent[0]++;
            }
        };
        for (int i = 0; i < 8; i++) { // each buffer twice: its operation is used again
            send.run();
            await().atMost(PATIENCE).until(() -> delivered.get() == sent[0]);
        }
        for (int round = 0; round < 2; round++) {
            FullStack.atEachDepth(TIMES, send);
        }
        await().atMost(PATIENCE).until(() -> delivered.get() == sent[0]);
        assertThat(sent[0]).isGreaterThan(8);
        server.receives().listener(null);
    }

    /** A write that throws has put nothing, so the peer gets the bytes of the others without a gap. */
    @Test
    void writesOfByteStreams() throws InterruptedException {
        connect(small());
        BlockingQueue<byte[]> arrived = new LinkedBlockingQueue<>();
        server.receives().listener(() -> {
            for (ReceivedMessage m = server.receives().poll();
                    m != null;
                    m = server.receives().poll()) {
                arrived.add(m.toByteArray());
                m.close();
            }
        });
        ByteOutput output = new ByteOutput(client);
        long turn = output.begin();
        int piece = client.options().streamMessageSize() / 2; // so each second one sends the one before as well
        byte[] written = {0};
        Runnable write = () -> {
            byte number = written[0];
            if (output.put(turn, room -> room.put(number).position(room.position() + piece - 1))) {
                written[0]++;
            }
        };
        write.run(); // loads the classes
        write.run();
        for (int round = 0; round < 2; round++) {
            FullStack.atEachDepth(TIMES, write);
        }
        long end = output.beginEnd();
        await().atMost(PATIENCE).until(() -> output.end(end));
        assertThat(output.delivered()).succeedsWithin(PATIENCE);
        byte expected = 0;
        for (byte[] message = arrived.take(); message.length > 0; message = arrived.take()) {
            for (int at = 0; at < message.length; at += piece) {
                assertThat(message[at]).isEqualTo(expected++);
            }
        }
        assertThat(expected).isEqualTo(written[0]);
        server.receives().listener(null);
    }

    @Test
    void closesOfMessages() throws InterruptedException {
        connect(small());
        for (int round = 0; round < 2; round++) {
            List<ReceivedMessage> messages = new ArrayList<>();
            for (int i = 0; i < 4; i++) { // half of the buffers: the peer has credits for more
                assertThat(submit(client, WorkRequest.send(acquire(client).limit(8), true))
                                .ended()
                                .error)
                        .isNull();
                messages.add(next(server.receives()::poll));
            }
            int[] next = {0};
            FullStack.atEachDepth(messages.size(), () -> {
                messages.get(next[0]).close();
                next[0]++; // else the same one again, at the next depth
            });
            assertThat(messages).allMatch(ReceivedMessage::isClosed);
        }
        exchange(client, server);
    }

    @Test
    void buffers() throws InterruptedException {
        connect(small());
        BlockingQueue<RegisteredBuffer> acquired = new LinkedBlockingQueue<>();
        int[] asked = {0};
        FullStack.atEachDepth(TIMES, () -> {
            client.sendBuffers().acquire(new BufferWaiter(false) {
                @Override
                public void acquired(RegisteredBuffer buffer) {
                    acquired.add(buffer);
                }

                @Override
                public void failed(RuntimeException error) {
                    throw error;
                }
            });
            asked[0]++;
        });
        assertThat(asked[0]).isPositive();
        for (int given = 0; given < asked[0]; ) {
            RegisteredBuffer buffer = acquired.take();
            given++;
            if (given % 100 == 0) {
                FullStack.atEachDepth(1, buffer::close);
            }
            buffer.close();
        }
        exchange(client, server);
    }

    @Test
    void closesOfConnections() throws InterruptedException {
        connect(small());
        exchange(client, server);
        FullStack.atEachDepth(1, client::close);
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertThat(server.closed()).succeedsWithin(PATIENCE);
        assertThat(server.failure()).isNull();
    }

    @Test
    void aborts() throws InterruptedException {
        connect(small());
        exchange(client, server);
        IllegalStateException cause = new IllegalStateException("on purpose");
        FullStack.atEachDepth(1, () -> client.abort(cause));
        assertThat(client.closed()).succeedsWithin(PATIENCE);
        assertThat(client.failure()).isSameAs(cause);
        assertThat(server.closed()).succeedsWithin(PATIENCE);
    }

    @Test
    void closesOfResources() throws InterruptedException {
        DeviceResources others = new DeviceResources(TestDevice.assumed(device()), resourceOptions());
        others.loops();
        FullStack.atEachDepth(1, others::close);
        assertThat(others.loops()).allMatch(loop -> !loop.isLoopThread());
        TestDevice.awaitClosed(others.context());
    }
}
