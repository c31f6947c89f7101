package io.rdma.reactive.pool;

import io.rdma.internal.connect.ConnectAttempts;
import io.rdma.internal.connect.PoolLifetime;
import io.rdma.internal.connect.ServerBalancer;
import io.rdma.internal.connect.ServerLease;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import java.util.concurrent.atomic.LongAdder;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

// Invariant: each subscription calls PoolLifetime.begin() once, and end() once: when its connection has ended, or when
// none was made. The lease of each attempt ends in the same way.

/** Maker of the connections of a pool: tries one server after the other. */
final class PoolConnector {
    /** Signal that the next server is to be tried; carries nothing, so it is one object. */
    private static final class TryNext extends RuntimeException {
        private static final long serialVersionUID = 1L;
        static final TryNext INSTANCE = new TryNext();

        private TryNext() {
            super(null, null, false, false);
        }
    }

    private final RdmaClient client;
    private final ServerBalancer balancer;
    private final PoolLifetime lifetime;
    final LongAdder opened = new LongAdder();
    final LongAdder failed = new LongAdder();

    PoolConnector(RdmaClient client, ServerBalancer balancer, PoolLifetime lifetime) {
        this.client = client;
        this.balancer = balancer;
        this.lifetime = lifetime;
    }

    /** Makes a connection for each subscription. The look-up of the servers may block. */
    Mono<PoolEntry> connect() {
        return Mono.defer(this::begin).subscribeOn(Schedulers.boundedElastic());
    }

    private Mono<PoolEntry> begin() {
        lifetime.begin();
        return Mono.fromSupplier(balancer::attempts)
                .flatMap(attempts -> Mono.defer(() -> tryNext(attempts))
                        .retryWhen(Retry.indefinitely().filter(TryNext.class::isInstance)))
                .doOnError(error -> lifetime.end())
                .doOnCancel(lifetime::end);
    }

    private Mono<PoolEntry> tryNext(ConnectAttempts attempts) {
        ServerLease lease = attempts.next();
        return client.connect(lease.address())
                .doOnCancel(lease::ended)
                .onErrorMap(error -> {
                    failed.increment();
                    return attempts.failed(lease, error) ? TryNext.INSTANCE : error;
                })
                .map(connection -> made(connection, lease));
    }

    private PoolEntry made(RdmaConnection connection, ServerLease lease) {
        lease.connected();
        opened.increment();
        connection.onDispose().subscribe(nothing -> {}, error -> {}, () -> {
            lease.ended();
            lifetime.end();
        });
        return new PoolEntry(connection, lease);
    }
}
