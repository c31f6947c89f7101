package io.rdma.samples.bench.exchange;

import io.rdma.connect.ConnectionOptions;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;

/** Reactor over the software device. */
final class RdmaEnd implements Carrier.End {
    /** Size of a receive buffer unless another one is set. */
    static final int USUAL_BUFFER = ConnectionOptions.DEFAULT.receiveBufferSize();

    /** Length of a message that fits such a buffer and whose packets are full, with the frame. */
    static final int FULL_PACKETS = USUAL_BUFFER - 16;

    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int BUFFERS = 128;

    /** Number of larger ones: as many bytes as the usual ones have. More do not stay in the second cache. */
    private static final int LARGE_BUFFERS = 16;

    private final int largestBuffer;
    private final int largestPiece;

    /**
     * Creates an end.
     *
     * @param largestBuffer upper bound of the server's receive buffers; the server reads larger messages
     * @param largestPiece upper bound of what the client sends as one message; it cuts a larger one
     */
    RdmaEnd(int largestBuffer, int largestPiece) {
        this.largestBuffer = largestBuffer;
        this.largestPiece = largestPiece;
    }

    @Override
    public int serve(int size) {
        int buffer = Math.max(USUAL_BUFFER, Math.min(size, largestBuffer));
        byte[] answer = Carrier.message(Carrier.ANSWER_BYTES, true);
        return RdmaServer.create()
                .device("soft0")
                .host(HOST)
                .port(0)
                .receiveBuffers(count(buffer), buffer)
                .handle(connection -> connection
                        .receive(message -> message.segment().get(ValueLayout.JAVA_BYTE, 0))
                        .filter(kind -> kind == Carrier.ANSWER)
                        .concatMap(kind -> connection.send(answer.length, copyOf(answer)))
                        .then())
                .bindNow(PATIENCE)
                .port();
    }

    private static int count(int bytes) {
        return bytes > USUAL_BUFFER ? LARGE_BUFFERS : BUFFERS;
    }

    private static Consumer<MemorySegment> copyOf(byte[] message) {
        return target -> MemorySegment.copy(message, 0, target, ValueLayout.JAVA_BYTE, 0, message.length);
    }

    @Override
    public Client connect(int port, int size) {
        int buffer = Math.max(USUAL_BUFFER, Math.min(size, largestPiece));
        RdmaConnection connection = RdmaClient.create()
                .device("soft0")
                .host(HOST)
                .port(port)
                .sendBuffers(count(buffer), buffer)
                .connectNow(PATIENCE);
        return new Connected(connection, size, Math.min(size, largestPiece));
    }

    private static final class Connected implements Client {
        private final RdmaConnection connection;
        private final byte[][] plain;
        private final byte[][] answered;
        private final Turns turns;

        Connected(RdmaConnection connection, int size, int piece) {
            this.connection = connection;
            this.plain = pieces(size, piece, false);
            this.answered = pieces(size, piece, true);
            Consumer<MemorySegment> writer = copyOf(answered[0]);
            this.turns = new Turns(
                    answered.length > 1
                            ? () -> send(Flux.fromArray(answered))
                            : () -> connection.send(size, writer).subscribe(nothing -> {}, this::failed));
            connection.receive(message -> message.length()).subscribe(length -> turns.answered(), this::failed);
        }

        /** Returns the pieces of a message, of which the last one requests the answer. */
        private static byte[][] pieces(int size, int piece, boolean answered) {
            int full = (size - 1) / piece;
            byte[][] pieces = new byte[full + 1][];
            Arrays.fill(pieces, 0, full, Carrier.message(piece, false));
            pieces[full] = Carrier.message(size - full * piece, answered);
            return pieces;
        }

        private void send(Flux<byte[]> messages) {
            connection
                    .send(messages, (message, target) -> {
                        MemorySegment.copy(message, 0, target, ValueLayout.JAVA_BYTE, 0, message.length);
                        return message.length;
                    })
                    .subscribe(nothing -> {}, this::failed);
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
            Flux<byte[]> messages = plain.length == 1
                    ? Flux.range(1, count).map(i -> (i == count ? answered : plain)[0])
                    : Flux.range(1, count).concatMapIterable(i -> Arrays.asList(i == count ? answered : plain));
            turns.once(() -> send(messages));
        }

        @Override
        public void close() {
            connection.disposeNow(PATIENCE);
        }
    }
}
