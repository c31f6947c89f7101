package io.rdma.samples.balanced;

import io.rdma.connect.RdmaResources;
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
 * The available servers; stands in for DNS, Kubernetes or Spring Cloud. Emits the list once a second, like a discovery
 * that polls, and at once when it changes. The repetition matters: after the connection to a server ended, RSocket does
 * not use that server until the next list that contains it.
 */
final class Servers {
    private static final Duration PERIOD = Duration.ofSeconds(1);

    private final RdmaClient client;
    private final Map<String, LoadbalanceTarget> known = new TreeMap<>(); // guarded by this
    private final Sinks.Many<List<LoadbalanceTarget>> changes =
            Sinks.many().replay().latest();

    /**
     * Creates an empty list of servers.
     *
     * @param resources the device and its loops, shared by all connections
     */
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

    /**
     * Returns the lists of servers. RSocket identifies a target by its name: a server that is in one list and in the
     * next keeps its connection.
     */
    Flux<List<LoadbalanceTarget>> targets() {
        return Flux.merge(
                changes.asFlux(), Flux.interval(PERIOD).onBackpressureDrop().map(tick -> now()));
    }
}
