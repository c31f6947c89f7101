package io.rdma.samples.cache;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rdma.structures.CounterMemory;
import io.rdma.structures.StructureException;
import io.rdma.structures.TableMemory;
import java.time.Duration;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.tcp.TcpServer;

/**
 * The server of the memory process for clients without RDMA. The processor executes each request and answers in the
 * order of the requests. A client that reads no answers is not read from either, so what waits for it is bounded.
 */
final class TcpCacheServer {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final TableMemory table;
    private final CounterMemory counters;

    TcpCacheServer(TableMemory table, CounterMemory counters) {
        this.table = table;
        this.counters = counters;
    }

    /** Binds the server. */
    DisposableServer bind(String host, int port) {
        return TcpServer.create()
                .host(host)
                .port(port)
                .doOnConnection(TcpFrames::addTo)
                .handle((in, out) -> out.send(
                        in.receive().asByteArray().concatMap(this::answer).map(answer -> {
                            ByteBuf frame = out.alloc().buffer();
                            answer.encode(frame);
                            return frame;
                        })))
                .bindNow(PATIENCE);
    }

    private Mono<TcpAnswer> answer(byte[] frame) {
        return Mono.fromCallable(() -> TcpRequest.decode(Unpooled.wrappedBuffer(frame)))
                .flatMap(this::execute)
                .defaultIfEmpty(TcpAnswer.missing())
                .onErrorResume(StructureException.class, e -> Mono.just(TcpAnswer.failed(e)))
                .onErrorResume(IllegalArgumentException.class, e -> Mono.just(TcpAnswer.refused(e)))
                .onErrorResume(IndexOutOfBoundsException.class, e -> Mono.just(TcpAnswer.refused(e)));
    }

    private Mono<TcpAnswer> execute(TcpRequest request) {
        return switch (request) {
            case TcpRequest.Get get ->
                Mono.fromFuture(() -> table.get(get.key()))
                        .map(found -> new TcpAnswer(TcpAnswer.Status.DONE, found.version(), found.value()));
            case TcpRequest.Put put ->
                Mono.fromFuture(() -> put.expected() == Cache.ANY
                                ? table.put(put.key(), put.value())
                                : table.put(put.key(), put.value(), put.expected()))
                        .map(TcpAnswer::done);
            case TcpRequest.Add add ->
                Mono.fromCallable(() -> TcpAnswer.done(counters.add(add.counter(), add.addend())));
            case TcpRequest.Remove remove ->
                Mono.fromFuture(() -> remove.expected() == Cache.ANY
                                ? table.remove(remove.key())
                                : table.remove(remove.key(), remove.expected()))
                        .filter(removed -> removed)
                        .map(removed -> TcpAnswer.done(0));
        };
    }
}
