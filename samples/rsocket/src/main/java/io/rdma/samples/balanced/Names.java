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

/** Discovery by DNS: each address of a name is a server, as for a headless Service of Kubernetes. */
final class Names {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private Names() {}

    /**
     * Looks the name up periodically. While the lookup fails, the list stays unchanged; the failure is printed once.
     * Java caches lookups for {@code networkaddress.cache.ttl}.
     */
    static Flux<List<LoadbalanceTarget>> targets(RdmaClient client, String name, int port) {
        AtomicBoolean unknown = new AtomicBoolean();
        return Flux.interval(Duration.ZERO, PERIOD)
                .onBackpressureDrop()
                .concatMap(
                        tick -> Mono.fromCallable(() -> InetAddress.getAllByName(name))
                                .subscribeOn(Schedulers.boundedElastic()) // the lookup blocks
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
