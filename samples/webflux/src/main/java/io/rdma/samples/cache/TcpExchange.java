package io.rdma.samples.cache;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.netty.Connection;

// Invariant: only the connection's event loop uses the fields that change. It adds an entry and writes the request in
// one step, so entries and answers have the same order.

/** The requests of one TCP connection that wait for their answers. */
final class TcpExchange {
    private final Connection connection;
    private final ArrayDeque<MonoSink<TcpAnswer>> waiting = new ArrayDeque<>();
    private boolean ended;

    private TcpExchange(Connection connection) {
        this.connection = connection;
    }

    /** Receives answers until the connection ends. An answer that is malformed, or was not asked for, ends it. */
    static TcpExchange on(Connection connection) {
        TcpExchange exchange = new TcpExchange(connection);
        connection
                .inbound()
                .receive()
                .map(TcpAnswer::decode)
                .subscribe(answer -> exchange.waiting.remove().success(answer), error -> exchange.end(), exchange::end);
        return exchange;
    }

    /** Sends a request and returns its answer. */
    Mono<TcpAnswer> ask(TcpRequest request) {
        Channel channel = connection.channel();
        return Mono.create(sink -> channel.eventLoop().execute(() -> {
            if (ended) {
                sink.error(lost());
                return;
            }
            waiting.add(sink);
            ByteBuf frame = channel.alloc().buffer();
            request.encode(frame);
            channel.writeAndFlush(frame);
        }));
    }

    /** Completes when the connection has ended. */
    Mono<Void> onEnd() {
        return connection.onDispose();
    }

    private void end() {
        ended = true;
        connection.dispose();
        waiting.forEach(sink -> sink.error(lost()));
        waiting.clear();
    }

    private static Unreachable lost() {
        return new Unreachable("the TCP connection to the memory process has ended: a change may have happened");
    }
}
