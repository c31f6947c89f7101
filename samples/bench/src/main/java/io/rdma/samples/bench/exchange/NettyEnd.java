package io.rdma.samples.bench.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import java.time.Duration;
import org.HdrHistogram.Histogram;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/** Reactor Netty with its defaults, and frames of a fixed length. */
final class NettyEnd implements Carrier.End {
    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @Override
    public int serve(int size) {
        byte[] answer = Carrier.message(Carrier.ANSWER_BYTES, true);
        return TcpServer.create()
                .host(HOST)
                .port(0)
                .doOnConnection(connection -> connection.addHandlerLast(new FixedLengthFrameDecoder(size)))
                .handle((in, out) -> in.receive()
                        .map(message -> message.getByte(message.readerIndex()))
                        .filter(kind -> kind == Carrier.ANSWER)
                        .concatMap(kind -> out.sendByteArray(Mono.just(answer)).then()))
                .bindNow(PATIENCE)
                .port();
    }

    @Override
    public Client connect(int port, int size) {
        return new Connected(
                TcpClient.create()
                        .host(HOST)
                        .port(port)
                        .doOnConnected(connection ->
                                connection.addHandlerLast(new FixedLengthFrameDecoder(Carrier.ANSWER_BYTES)))
                        .connectNow(PATIENCE),
                size);
    }

    private static final class Connected implements Client {
        private final Connection connection;
        private final byte[] plain;
        private final byte[] answered;
        private final Turns turns;

        Connected(Connection connection, int size) {
            this.connection = connection;
            this.plain = Carrier.message(size, false);
            this.answered = Carrier.message(size, true);
            this.turns = new Turns(() -> connection
                    .outbound()
                    .send(Mono.fromSupplier(() -> buffer(answered)))
                    .then()
                    .subscribe(nothing -> {}, this::failed));
            connection.inbound().receive().subscribe(message -> turns.answered(), this::failed);
        }

        private ByteBuf buffer(byte[] message) {
            return connection.outbound().alloc().buffer(message.length).writeBytes(message);
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
            Flux<ByteBuf> messages = Flux.range(1, count).map(i -> buffer(i == count ? answered : plain));
            turns.once(() -> connection.outbound().send(messages).then().subscribe(nothing -> {}, this::failed));
        }

        @Override
        public void close() {
            connection.disposeNow(PATIENCE);
        }
    }
}
