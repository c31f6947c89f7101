package io.rdma.samples.cache;

import io.rdma.structures.VersionedValue;
import java.io.IOException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;
import reactor.netty.tcp.TcpClient;

/**
 * The operations as requests over TCP, which the processor of the memory process executes. They share one connection,
 * which is made when it is first needed, and again after it was lost.
 */
@Component(Cache.TCP)
final class TcpCacheClient implements Cache {
    private final Mono<TcpExchange> exchange;

    TcpCacheClient(@Value("${cache.tcp.host}") String host, @Value("${cache.tcp.port}") int port) {
        exchange = TcpClient.newConnection()
                .host(host)
                .port(port)
                .doOnConnected(TcpFrames::addTo)
                .connect()
                .onErrorMap(IOException.class, e -> new Unreachable("no memory process answers over TCP", e))
                .map(TcpExchange::on)
                .cacheInvalidateWhen(TcpExchange::onEnd);
    }

    @Override
    public Mono<VersionedValue> get(byte[] key) {
        return ask(new TcpRequest.Get(key)).map(answer -> new VersionedValue(answer.number(), answer.content()));
    }

    @Override
    public Mono<Long> put(byte[] key, byte[] value, long expected) {
        return ask(new TcpRequest.Put(key, value, expected)).map(TcpAnswer::number);
    }

    @Override
    public Mono<Boolean> remove(byte[] key, long expected) {
        return ask(new TcpRequest.Remove(key, expected)).hasElement();
    }

    @Override
    public Mono<Long> add(int counter, long addend) {
        return ask(new TcpRequest.Add(counter, addend)).map(TcpAnswer::number);
    }

    private Mono<TcpAnswer> ask(TcpRequest request) {
        return exchange.flatMap(connected -> connected.ask(request)).flatMap(answer -> switch (answer.status()) {
            case DONE -> Mono.just(answer);
            case MISSING -> Mono.empty();
            case REFUSED, FAILED -> Mono.error(answer.error());
        });
    }
}
