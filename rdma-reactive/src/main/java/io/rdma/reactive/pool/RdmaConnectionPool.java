package io.rdma.reactive.pool;

import io.rdma.connect.AddressSupplier;
import io.rdma.connect.PoolExhaustedException;
import io.rdma.connect.PoolMetrics;
import io.rdma.connect.PoolOptions;
import io.rdma.connect.ServerAddress;
import io.rdma.internal.connect.PoolLifetime;
import io.rdma.internal.connect.ServerBalancer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaDisposable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Predicate;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.pool.InstrumentedPool;
import reactor.pool.PoolAcquirePendingLimitException;
import reactor.pool.PoolAcquireTimeoutException;
import reactor.pool.PoolBuilder;
import reactor.pool.PoolShutdownException;
import reactor.pool.PooledRefMetadata;

// The pool itself is one of reactor-pool. Its own warm-up is not used, because it drops a connection that is made while
// the pool is disposed; acquires do not.

/**
 * Bounded pool of connections to one or several servers. Each connection has one user at a time.
 *
 * <p>An acquire gets an idle connection, or else makes one to a server that {@link PoolOptions#balancing} chooses. A
 * server that cannot be reached is skipped for a growing time, and the next one is tried. When
 * {@link PoolOptions#maxConnections} are in use, acquires wait in order. Thread-safe.
 *
 * <pre>{@code
 * RdmaConnectionPool pool = RdmaConnectionPool.create(client, PoolOptions.DEFAULT.withMaxConnections(8));
 * Flux<String> answer = pool.withConnection(connection -> ask(connection, question));
 * }</pre>
 */
public final class RdmaConnectionPool implements RdmaDisposable {
    private final PoolOptions options;
    private final PoolLifetime lifetime = new PoolLifetime();
    private final PoolConnector connector;
    private final InstrumentedPool<PoolEntry> pool;
    private final Disposable refresh;
    private final LongAdder exhausted = new LongAdder();
    private final PoolMetrics metrics;

    private RdmaConnectionPool(RdmaClient client, AddressSupplier servers, PoolOptions options) {
        this.options = options;
        Scheduler timer = Schedulers.parallel();
        ServerBalancer balancer = new ServerBalancer(
                servers,
                options,
                () -> timer.now(TimeUnit.NANOSECONDS),
                () -> ThreadLocalRandom.current().nextLong());
        connector = new PoolConnector(client, balancer, lifetime);
        pool = PoolBuilder.from(connector.connect())
                .sizeBetween(0, options.maxConnections())
                .maxPendingAcquire(options.pendingAcquireMaxCount())
                .idleResourceReuseOrder(!options.lifo())
                .maxLifeTime(options.maxLifeTime())
                .evictionPredicate(this::isToBeEvicted)
                .evictInBackground(options.evictInBackground(), timer)
                .destroyHandler(PoolEntry::close)
                .clock(new TimerClock(timer))
                .buildPool();
        metrics = new ReactorPoolMetrics(pool.metrics(), connector, exhausted);
        refresh = Flux.interval(options.addressRefresh(), timer)
                .onBackpressureDrop()
                .concatMap(
                        tick -> Mono.fromRunnable(balancer::refreshKnown)
                                .subscribeOn(Schedulers.boundedElastic())
                                .onErrorComplete(),
                        1)
                .subscribe();
    }

    /**
     * Creates a pool of connections to the server of a client. Makes no connection yet.
     *
     * @param client settings of the connections, and the host and port of the server
     * @param options options of the pool
     * @return to be disposed
     */
    public static RdmaConnectionPool create(RdmaClient client, PoolOptions options) {
        return create(client, AddressSupplier.of(new ServerAddress(client.address(), 1)), options);
    }

    /**
     * Creates a pool of connections to several servers. Makes no connection yet.
     *
     * @param client settings of the connections; its host and port are not used
     * @param servers addresses of the servers
     * @param options options of the pool
     * @return to be disposed
     */
    public static RdmaConnectionPool create(RdmaClient client, AddressSupplier servers, PoolOptions options) {
        return new RdmaConnectionPool(client, servers, options);
    }

    private boolean isToBeEvicted(PoolEntry entry, PooledRefMetadata times) {
        return entry.isUnfit()
                || !options.maxIdleTime().isZero()
                        && times.idleTime() >= options.maxIdleTime().toMillis();
    }

    /**
     * Uses a connection for one exchange with the server, once for each subscription.
     *
     * <p><b>Completes</b> with the items of the function's publisher. The connection is returned before. <b>Errors</b>
     * like {@link #acquire}, and with the error of the function. <b>Cancel</b> cancels the function's publisher.
     *
     * <p>After an error or a cancel an answer of the server may be under way, which the next user of the connection
     * would take for its own. So the connection is aborted, not returned. To keep connections, end the function's
     * publisher by itself, for example by {@code receive(…).next()} inside of the function instead of
     * {@code withConnection(…).next()}, and turn errors that the server reports into errors outside of it.
     *
     * @param <T> type of the items
     * @param use called for each connection; its publisher must not use the connection after its end
     * @return the items
     */
    public <T> Flux<T> withConnection(Function<? super RdmaConnection, ? extends Publisher<T>> use) {
        return withConnection(use, error -> false);
    }

    /**
     * Uses a connection like {@link #withConnection(Function)}, but also returns it after errors that leave no answer
     * outstanding.
     *
     * @param <T> type of the items
     * @param use called for each connection
     * @param keeps returns true for errors after which the connection can be used as before
     * @return the items
     */
    public <T> Flux<T> withConnection(
            Function<? super RdmaConnection, ? extends Publisher<T>> use, Predicate<? super Throwable> keeps) {
        return Flux.usingWhen(
                acquire(),
                held -> use.apply(held.connection()),
                held -> Mono.fromRunnable(held::release),
                (held, error) -> Mono.fromRunnable(() -> {
                    if (keeps.test(error)) {
                        held.release();
                    } else {
                        held.invalidate(error);
                    }
                }),
                held -> Mono.fromRunnable(
                        () -> held.invalidate(new CancellationException("the use of the connection was cancelled"))));
    }

    /**
     * Acquires a connection, once for each subscription. {@link #withConnection} is simpler and never forgets it.
     *
     * <p><b>Completes</b> with a connection that the subscriber returns or invalidates. <b>Errors</b> with
     * {@link PoolExhaustedException} if too many acquires wait, or if this one waited too long; with
     * {@link io.rdma.connect.RdmaConnectException} if no server can be reached, NO_SERVERS if there is none; with
     * {@link io.rdma.types.VerbsException} if the device fails; with {@link IllegalStateException} if the pool is
     * disposed. <b>Cancel</b> ends the wait; a connection that is being made then goes to the next acquire. Where an
     * operator downstream may drop the connection, end the chain with
     * {@code doOnDiscard(PooledRdmaConnection.class, PooledRdmaConnection::release)}.
     *
     * @return the connection
     */
    public Mono<PooledRdmaConnection> acquire() {
        return handle().doOnNext(PooledRdmaConnection::used);
    }

    private Mono<PooledRdmaConnection> handle() {
        return pool.acquire(options.pendingAcquireTimeout())
                .map(PooledRdmaConnection::new)
                .onErrorMap(this::typed);
    }

    private Throwable typed(Throwable error) {
        if (error instanceof PoolShutdownException) {
            return PoolLifetime.closedError();
        }
        if (error instanceof PoolAcquireTimeoutException) {
            exhausted.increment();
            return PoolExhaustedException.timedOut(options);
        }
        if (error instanceof PoolAcquirePendingLimitException) {
            exhausted.increment();
            return PoolExhaustedException.refused(options);
        }
        return error;
    }

    /**
     * Makes {@link PoolOptions#warmupConnections} connections, unless there are as many already, so that the first
     * users need not wait for them.
     *
     * <p><b>Completes</b> with the number of connections that are ready. <b>Errors</b> like {@link #acquire} if one
     * cannot be made; the others stay. <b>Cancel</b> leaves the connections that were made in the pool.
     *
     * @return the number
     */
    public Mono<Integer> warmup() {
        return Mono.usingWhen(
                Mono.fromSupplier(PoolWarmup::new),
                warmup -> Flux.range(0, Math.max(0, options.warmupConnections() - metrics.active()))
                        .flatMap(i -> handle().doOnNext(warmup::hold), options.maxConnections())
                        .count()
                        .map(Long::intValue),
                warmup -> Mono.fromRunnable(warmup::release));
    }

    /**
     * Returns the counters of this pool.
     *
     * @return live
     */
    public PoolMetrics metrics() {
        return metrics;
    }

    /**
     * Disposes the pool: acquires that wait fail, idle connections are closed, and each connection that is in use is
     * closed when its user returns it. Does not wait.
     */
    @Override
    public void dispose() {
        lifetime.close(() -> {
            refresh.dispose();
            pool.disposeLater().subscribe();
        });
    }

    @Override
    public boolean isDisposed() {
        return lifetime.isClosed();
    }

    /**
     * Completes when the pool was disposed and all its connections are closed, also those in use. Ends as late as the
     * last user; apply a time-out where that may take too long.
     *
     * @return completes empty, never with an error
     */
    @Override
    public Mono<Void> onDispose() {
        return Mono.fromFuture(lifetime::ended, true);
    }
}
