package io.rdma.samples.cache;

import java.io.IOException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.netty.tcp.TcpClient;

/**
 * The operations as requests over TCP, which the processor of the memory process executes. They share one connection,
 * which is made when it is first needed, and again after it was lost.
 */
@Component
final class TcpCacheClient implements Cache {
    private final Mono<TcpExchange> exchange;
    private final CacheStatistics statistics;

    TcpCacheClient(
            @Value("${cache.tcp.host}") String host, @Value("${cache.tcp.port}") int port, CacheStatistics statistics) {
        this.statistics = statistics;
        exchange = TcpClient.newConnection()
                .host(host)
                .port(port)
                .doOnConnected(TcpFrames::addTo)
                .connect()
                .onErrorMap(
                        IOException.class,
                        e -> new IllegalStateException("no memory process answers over TCP: " + e.getMessage(), e))
                .map(TcpExchange::on)
                .cacheInvalidateWhen(TcpExchange::onEnd);
    }

    @Override
    public Mono<Slot.Content.Found> get(String key) {
        byte[] name = Slot.requireKey(Slot.bytes(key));
        return statistics.timed(
                TCP,
                "get",
                ask(new TcpRequest.Get(name)).map(answer -> new Slot.Content.Found(answer.number(), answer.content())));
    }

    @Override
    public Mono<Long> put(String key, byte[] value) {
        byte[] name = Slot.requireKey(Slot.bytes(key));
        Slot.requireRoom(name, value);
        return statistics.timed(TCP, "put", ask(new TcpRequest.Put(name, value)).map(TcpAnswer::number));
    }

    @Override
    public Mono<Long> add(int counter, long addend) {
        return statistics.timed(
                TCP, "add", ask(new TcpRequest.Add(counter, addend)).map(TcpAnswer::number));
    }

    private Mono<TcpAnswer> ask(TcpRequest request) {
        return exchange.flatMap(connected -> connected.ask(request))
                .flatMap(answer -> outcome(request, answer))
                .retryWhen(Busy.retry());
    }

    private Mono<TcpAnswer> outcome(TcpRequest request, TcpAnswer answer) {
        return switch (answer.status()) {
            case DONE -> Mono.just(answer);
            case MISSING -> Mono.empty();
            case BUSY -> Mono.error(busy(request));
            case REFUSED -> Mono.error(new IllegalArgumentException(answer.text()));
            case UNSUPPORTED -> Mono.error(new UnsupportedOperationException(answer.text()));
        };
    }

    private Busy busy(TcpRequest request) {
        if (request instanceof TcpRequest.Get) {
            statistics.tornRead();
        } else {
            statistics.lockWait();
        }
        return new Busy("a writer has the slot");
    }
}
