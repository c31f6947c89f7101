package io.rdma.samples.bench.transport;

import io.netty.buffer.ByteBufAllocator;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.ClientTransport;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.util.ByteBufPayload;
import io.rsocket.util.EmptyPayload;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.BaseSubscriber;
import reactor.netty.tcp.TcpClient;

/** Client of RSocket, with one connection, which sends requests of one kind. */
public final class RSocketLoad implements Load {
    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine

    private final RSocket socket;
    private final byte[] request;
    private final boolean streamed;
    private final long expected;

    /**
     * Connects a client.
     *
     * @param streamed whether a stream answers, not a response
     * @param expected bytes of all answers to a request
     */
    private RSocketLoad(Clients clients, String host, int port, byte[] request, boolean streamed, long expected) {
        QuietSlf4j.set();
        this.request = request;
        this.streamed = streamed;
        this.expected = expected;
        socket = Objects.requireNonNull(RSocketConnector.create()
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(transport(clients, host, port))
                .block(PATIENCE));
    }

    /**
     * Connects a client that is answered with responses.
     *
     * @param clients event loops
     * @param host of the server
     * @param port of the server
     * @param size of request and response
     * @return connected
     */
    public static RSocketLoad response(Clients clients, String host, int port, int size) {
        return new RSocketLoad(clients, host, port, new byte[size], false, size);
    }

    /**
     * Connects a client that is answered with streams.
     *
     * @param clients event loops
     * @param host of the server
     * @param port of the server
     * @param messages number of messages of a stream
     * @param size of each message
     * @return connected
     */
    public static RSocketLoad stream(Clients clients, String host, int port, int messages, int size) {
        byte[] request = BytesService.streamOf(messages, size);
        return new RSocketLoad(clients, host, port, request, true, (long) messages * size);
    }

    private static ClientTransport transport(Clients clients, String host, int port) {
        if (clients.transport() == Transport.RDMA) {
            return RdmaClientTransport.create(RdmaClient.create()
                    .device(clients.end().device())
                    .options(unused -> clients.end().connection())
                    .host(host)
                    .port(port));
        }
        return TcpClientTransport.create(TcpClient.create()
                .runOn(clients.loops(), clients.transport().isNative())
                .host(host)
                .port(port));
    }

    @Override
    public void send(Consumer<@Nullable Throwable> ended) {
        Payload payload = ByteBufPayload.create(
                ByteBufAllocator.DEFAULT.buffer(request.length).writeBytes(request));
        if (streamed) {
            socket.requestStream(payload).subscribe(new Answers(ended));
        } else {
            socket.requestResponse(payload).subscribe(new Answers(ended));
        }
    }

    @Override
    public long allocatedByServer() {
        Payload answer = Objects.requireNonNull(
                socket.requestResponse(EmptyPayload.INSTANCE).block(PATIENCE));
        try {
            return answer.sliceData().readLong();
        } finally {
            answer.release();
        }
    }

    @Override
    public void close() {
        socket.dispose();
        socket.onClose().block(PATIENCE);
    }

    /** The answers to one request. */
    private final class Answers extends BaseSubscriber<Payload> {
        private final Consumer<@Nullable Throwable> ended;
        private long received;

        private Answers(Consumer<@Nullable Throwable> ended) {
            this.ended = ended;
        }

        @Override
        protected void hookOnNext(Payload answer) {
            received += answer.sliceData().readableBytes();
            answer.release();
        }

        @Override
        protected void hookOnError(Throwable error) {
            ended.accept(error);
        }

        @Override
        protected void hookOnComplete() {
            ended.accept(
                    received == expected
                            ? null
                            : new IllegalStateException("received " + received + " bytes instead of " + expected));
        }
    }
}
