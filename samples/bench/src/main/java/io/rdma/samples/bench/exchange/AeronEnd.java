package io.rdma.samples.bench.exchange;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

// A server subscribes to the stream whose number is its port, and publishes answers on the stream with the negative
// number. The thread of a server polls while a client publishes, and otherwise sleeps, so that it costs the other
// carriers nothing.

/** Aeron over shared memory, by the {@link AeronDriver}. */
final class AeronEnd implements Carrier.End {
    private static final String CHANNEL = "aeron:ipc";
    private static final String ANSWERS = "aeron:ipc?term-length=64k|mtu=1408";
    private static final int FRAGMENTS = 64;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    /** Returns a strategy that polls a little, gives way, and then sleeps, as the loops of soft0 do. */
    private static IdleStrategy idle() {
        return new BackoffIdleStrategy(20, 100, 1_000, 100_000);
    }

    private static UnsafeBuffer message(int size, boolean answered) {
        UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(size));
        message.putBytes(0, Carrier.message(size, answered));
        return message;
    }

    @Override
    public int serve(int size) {
        int port = ThreadLocalRandom.current().nextInt(1, Integer.MAX_VALUE);
        Server server = new Server(AeronDriver.client(), port);
        Thread.ofPlatform().daemon().name("aeron-answer").start(server::run);
        return port;
    }

    @Override
    public Client connect(int port, int size) throws IOException {
        return new Connected(AeronDriver.client(), port, size);
    }

    /** A subscriber that answers. */
    private static final class Server {
        private final AtomicInteger clients = new AtomicInteger();
        private final Semaphore arrived = new Semaphore(0);
        private final IdleStrategy idle = idle();
        private final UnsafeBuffer answer = message(Carrier.ANSWER_BYTES, true);
        private final Subscription requests;
        private final ExclusivePublication answers;

        Server(Aeron aeron, int port) {
            answers = aeron.addExclusivePublication(ANSWERS, -port);
            requests = aeron.addSubscription(
                    CHANNEL,
                    port,
                    image -> {
                        clients.incrementAndGet();
                        arrived.release();
                    },
                    image -> clients.decrementAndGet());
        }

        void run() {
            FragmentHandler handler = new FragmentAssembler((buffer, offset, length, header) -> answer(buffer, offset));
            while (true) {
                arrived.acquireUninterruptibly();
                while (clients.get() > 0) {
                    idle.idle(requests.poll(handler, FRAGMENTS));
                }
            }
        }

        private void answer(DirectBuffer message, int offset) {
            if (message.getByte(offset) == Carrier.ANSWER) {
                while (answers.offer(answer) < 0 && clients.get() > 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static final class Connected implements Client {
        private final UnsafeBuffer plain;
        private final UnsafeBuffer answered;
        private final IdleStrategy idle = idle();
        private final Subscription answers;
        private final ExclusivePublication requests;

        Connected(Aeron aeron, int port, int size) throws IOException {
            plain = message(size, false);
            answered = message(size, true);
            answers = aeron.addSubscription(ANSWERS, -port);
            requests = aeron.addExclusivePublication(CHANNEL, port);
            long start = System.nanoTime();
            while (!answers.isConnected() || !requests.isConnected()) {
                if (System.nanoTime() - start > PATIENCE) {
                    throw new IOException("no server on stream " + port);
                }
                idle.idle();
            }
        }

        @Override
        public void pingPong(int count, Histogram into) throws IOException {
            for (int i = 0; i < count; i++) {
                long start = System.nanoTime();
                offer(answered);
                awaitAnswer();
                into.recordValue(System.nanoTime() - start);
            }
        }

        @Override
        public void stream(int count) throws IOException {
            for (int i = 1; i < count; i++) {
                offer(plain);
            }
            offer(answered);
            awaitAnswer();
        }

        private void offer(UnsafeBuffer message) throws IOException {
            idle.reset();
            for (long result = requests.offer(message); result < 0; result = requests.offer(message)) {
                if (result != Publication.BACK_PRESSURED && result != Publication.ADMIN_ACTION) {
                    throw new IOException("a message was refused: " + Publication.errorString(result));
                }
                idle.idle();
            }
        }

        private void awaitAnswer() throws IOException {
            idle.reset();
            while (answers.poll((buffer, offset, length, header) -> {}, 1) == 0) {
                if (!answers.isConnected()) {
                    throw new IOException("the server is gone");
                }
                idle.idle();
            }
        }

        @Override
        public void close() {
            requests.close();
            answers.close();
        }
    }
}
