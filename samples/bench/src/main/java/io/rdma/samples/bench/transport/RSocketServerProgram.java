package io.rdma.samples.bench.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketServer;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.transport.netty.server.TcpServerTransport;
import io.rsocket.util.ByteBufPayload;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.tcp.TcpServer;

// A request for a response is as long as the response. One without data is for the bytes that the JVM has allocated.
// A request for a stream has the number of messages and the size of each.

/** RSocket server on one transport, in a JVM of its own. */
public final class RSocketServerProgram implements RSocket {
    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine
    private static final byte[] BODY = new byte[1 << 16];

    private RSocketServerProgram() {}

    /**
     * Runs the server.
     *
     * @param arguments name of the transport, address to listen on, and those of {@link EndOptions}
     * @throws IOException if the parent process cannot be watched
     */
    public static void main(String[] arguments) throws IOException {
        QuietSlf4j.set();
        ServerStart.run(arguments, RSocketServerProgram::serve);
    }

    private static int serve(Transport transport, String host, EndOptions end) {
        RSocketServer server = RSocketServer.create(SocketAcceptor.with(new RSocketServerProgram()))
                .payloadDecoder(PayloadDecoder.ZERO_COPY);
        Mono<Integer> port;
        if (transport == Transport.RDMA) {
            RdmaServer listener = RdmaServer.create()
                    .device(end.device())
                    .options(unused -> end.connection())
                    .host(host)
                    .port(0);
            port = server.bind(RdmaServerTransport.create(listener))
                    .map(bound -> bound.address().getPort());
        } else {
            TcpServer listener = TcpServer.create()
                    .runOn(transport.loops(end), transport.isNative())
                    .host(host)
                    .port(0);
            port = server.bind(TcpServerTransport.create(listener))
                    .map(bound -> bound.address().getPort());
        }
        return Objects.requireNonNull(port.block(PATIENCE));
    }

    @Override
    public Mono<Payload> requestResponse(Payload request) {
        int size = request.sliceData().readableBytes();
        request.release();
        return Mono.just(
                size == 0
                        ? ByteBufPayload.create(
                                ByteBufAllocator.DEFAULT.buffer(Long.BYTES).writeLong(Allocated.bytes()))
                        : message(size));
    }

    @Override
    public Flux<Payload> requestStream(Payload request) {
        ByteBuf fields = request.sliceData();
        int messages = fields.readInt();
        int size = fields.readInt();
        request.release();
        return Flux.range(0, messages).map(number -> message(size));
    }

    private static Payload message(int size) {
        return ByteBufPayload.create(ByteBufAllocator.DEFAULT.buffer(size).writeBytes(BODY, 0, size));
    }
}
