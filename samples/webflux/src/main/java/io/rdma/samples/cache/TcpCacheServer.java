package io.rdma.samples.cache;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.OptionalLong;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/**
 * The server of the memory process for clients without RDMA. The processor executes each request and answers in the
 * order of the requests. A client that reads no answers is not read from either, so what waits for it is bounded.
 */
final class TcpCacheServer {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final LocalSlots slots;

    TcpCacheServer(LocalSlots slots) {
        this.slots = slots;
    }

    /** Binds the server. */
    DisposableServer bind(String host, int port) {
        return TcpServer.create()
                .host(host)
                .port(port)
                .doOnConnection(TcpFrames::addTo)
                .handle((in, out) -> out.send(in.receive().map(frame -> {
                    ByteBuf answer = out.alloc().buffer();
                    answer(frame).encode(answer);
                    return answer;
                })))
                .bindNow(PATIENCE);
    }

    private TcpAnswer answer(ByteBuf frame) {
        try {
            return answer(TcpRequest.decode(frame));
        } catch (IllegalArgumentException e) {
            return TcpAnswer.of(TcpAnswer.Status.REFUSED, String.valueOf(e.getMessage()));
        } catch (UnsupportedOperationException e) {
            return TcpAnswer.of(TcpAnswer.Status.UNSUPPORTED, String.valueOf(e.getMessage()));
        }
    }

    private TcpAnswer answer(TcpRequest request) {
        return switch (request) {
            case TcpRequest.Get get ->
                switch (slots.get(get.key())) {
                    case Slot.Content.Found found ->
                        new TcpAnswer(TcpAnswer.Status.DONE, found.version(), found.value());
                    case Slot.Content.Missing missing -> TcpAnswer.of(TcpAnswer.Status.MISSING);
                    case Slot.Content.Torn torn -> TcpAnswer.of(TcpAnswer.Status.BUSY);
                };
            case TcpRequest.Put put -> {
                OptionalLong version = slots.put(put.key(), put.value());
                yield version.isPresent() ? TcpAnswer.done(version.getAsLong()) : TcpAnswer.of(TcpAnswer.Status.BUSY);
            }
            case TcpRequest.Add add -> TcpAnswer.done(slots.add(add.counter(), add.addend()));
        };
    }
}
