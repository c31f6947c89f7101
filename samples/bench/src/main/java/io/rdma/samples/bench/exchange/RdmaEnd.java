package io.rdma.samples.bench.exchange;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;

/** Reactor over the software device, with buffers that fit the messages. */
final class RdmaEnd implements Carrier.End {
    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BUFFERS = 128;

    @Override
    public int serve(int size) {
        byte[] answer = Carrier.message(Carrier.ANSWER_BYTES, true);
        return RdmaServer.create()
                .device("soft0")
                .host(HOST)
                .port(0)
                .receiveBuffers(BUFFERS, size)
                .sendBuffers(BUFFERS, Carrier.ANSWER_BYTES)
                .handle(connection -> connection
                        .receive(message -> message.segment().get(ValueLayout.JAVA_BYTE, 0))
                        .filter(kind -> kind == Carrier.ANSWER)
                        .concatMap(kind -> connection.send(answer.length, copyOf(answer)))
                        .then())
                .bindNow(PATIENCE)
                .port();
    }

    private static Consumer<MemorySegment> copyOf(byte[] message) {
        return target -> MemorySegment.copy(message, 0, target, ValueLayout.JAVA_BYTE, 0, message.length);
    }

    @Override
    public Client connect(int port, int size) {
        RdmaConnection connection = RdmaClient.create()
                .device("soft0")
                .host(HOST)
                .port(port)
                .receiveBuffers(BUFFERS, Carrier.ANSWER_BYTES)
                .sendBuffers(BUFFERS, size)
                .connectNow(PATIENCE);
        return new Connected(connection, size);
    }

    private static final class Connected implements Client {
        private final RdmaConnection connection;
        private final byte[] plain;
        private final byte[] answered;
        private final Turns turns;

        Connected(RdmaConnection connection, int size) {
            this.connection = connection;
            this.plain = Carrier.message(size, false);
            this.answered = Carrier.message(size, true);
            Consumer<MemorySegment> writer = copyOf(answered);
            this.turns = new Turns(() -> connection.send(size, writer).subscribe(nothing -> {}, this::failed));
            connection.receive(message -> message.length()).subscribe(length -> turns.answered(), this::failed);
        }

        private void failed(Throwable error) {
            turns.failed(error);
        }

        @Override
        public void pingPong(int count, Histogram into) throws Exception {
            turns.run(count, into);
        }

        @Override
        public void stream(int count) throws Exception {
            Flux<byte[]> messages = Flux.range(1, count).map(i -> i == count ? answered : plain);
            turns.once(() -> connection
                    .send(messages, (message, target) -> {
                        MemorySegment.copy(message, 0, target, ValueLayout.JAVA_BYTE, 0, message.length);
                        return message.length;
                    })
                    .subscribe(nothing -> {}, this::failed));
        }

        @Override
        public void close() {
            connection.disposeNow(PATIENCE);
        }
    }
}
