package io.rdma.samples.balanced;

import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rsocket.loadbalance.LoadbalanceTarget;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Discovery by DNS: every address that a name has is a server, such as those of a headless Service of Kubernetes. */
final class Names {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private Names() {}

    /**
     * Looked up again and again; a name that is not known for the moment changes nothing, and is printed once. Java
     * remembers answers for {@code networkaddress.cache.ttl}.
     */
    static Flux<List<LoadbalanceTarget>> targets(RdmaClient client, String name, int port) {
        AtomicBoolean unknown = new AtomicBoolean();
        return Flux.interval(Duration.ZERO, PERIOD)
                .onBackpressureDrop()
                .concatMap(
                        tick -> Mono.fromCallable(() -> InetAddress.getAllByName(name))
                                .subscribeOn(Schedulers.boundedElastic()) // it blocks
                                .doOnNext(addresses -> unknown.set(false))
                                .doOnError(UnknownHostException.class, error -> {
                                    if (!unknown.getAndSet(true)) {
                                        System.err.println(name + " is not known, asking again: " + error.getMessage());
                                    }
                                })
                                .onErrorComplete(UnknownHostException.class),
                        1)
                .map(addresses -> Arrays.stream(addresses)
                        .map(InetAddress::getHostAddress)
                        .map(address -> LoadbalanceTarget.from(
                                address,
                                RdmaClientTransport.create(client.host(address).port(port))))
                        .toList());
    }
}
