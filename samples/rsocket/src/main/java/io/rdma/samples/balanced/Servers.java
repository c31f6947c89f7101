package io.rdma.samples.balanced;

import io.rdma.engine.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rsocket.loadbalance.LoadbalanceTarget;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/**
 * Which servers there are: in the place of DNS, Kubernetes or Spring Cloud. Says so once a second, as what polls a
 * discovery does, and at once when it changes: RSocket leaves a server out whose connection ended, until the next list
 * that has it.
 */
final class Servers {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final RdmaClient client;
    private final Map<String, LoadbalanceTarget> known = new TreeMap<>(); // guarded by this
    private final Sinks.Many<List<LoadbalanceTarget>> changes =
            Sinks.many().replay().latest();

    /** @param resources what all connections share: the device and its loops */
    Servers(RdmaResources resources) {
        client = RdmaClient.create().resources(resources);
    }

    synchronized void joined(String name, String host, int port) {
        known.put(
                name,
                LoadbalanceTarget.from(
                        name, RdmaClientTransport.create(client.host(host).port(port))));
        changes.tryEmitNext(now()).orThrow();
    }

    synchronized void left(String name) {
        known.remove(name);
        changes.tryEmitNext(now()).orThrow();
    }

    private synchronized List<LoadbalanceTarget> now() {
        return List.copyOf(known.values());
    }

    /** A target's name tells it apart from the others: who is in one list and the next keeps the connection. */
    Flux<List<LoadbalanceTarget>> targets() {
        return Flux.merge(
                changes.asFlux(), Flux.interval(PERIOD).onBackpressureDrop().map(tick -> now()));
    }
}
