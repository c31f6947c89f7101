package io.rdma.reactive.pool;

import static io.rdma.reactive.pool.PoolFixture.PATIENCE;
import static io.rdma.reactive.pool.PoolFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.PoolExhaustedException;
import io.rdma.connect.PoolExhaustedException.Limit;
import io.rdma.connect.PoolOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Contract of a pool of connections to one server, the same on every device. Time is virtual, connections are not. */
abstract class PoolContract extends PooledContract {
    private RdmaConnectionPool pool(DisposableServer server, PoolOptions options) {
        return fixture.using(RdmaConnectionPool.create(fixture.client().port(server.port()), options));
    }

    private static PoolOptions most(int connections) {
        return PoolOptions.DEFAULT.withMaxConnections(connections);
    }

    private static Throwable failureOf(CompletableFuture<?> future) throws Exception {
        try {
            future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return e.getCause();
        }
        throw new AssertionError("it did not fail");
    }

    @Test
    void oneConnectionServesManyUsersOneAfterTheOther() {
        RdmaConnectionPool pool = pool(fixture.server(), most(4));
        for (int i = 0; i < 20; i++) {
            assertThat(ask(pool, "question " + i)).isEqualTo("question " + i);
        }
        assertThat(pool.metrics().opened()).isOne();
        assertThat(pool.metrics().idle()).isOne();
        assertThat(pool.metrics().active()).isZero();
        fixture.awaitConnections(1);
    }

    @Test
    void usersBeyondTheBoundWaitInOrderAndThoseBeyondTheQueueAreRefused() throws Exception {
        DisposableServer server = fixture.server();
        RdmaConnectionPool pool = pool(server, most(2).withPendingAcquireMaxCount(2));
        PooledRdmaConnection first = pool.acquire().block(PATIENCE);
        PooledRdmaConnection second = pool.acquire().block(PATIENCE);
        CompletableFuture<PooledRdmaConnection> third = pool.acquire().toFuture();
        CompletableFuture<PooledRdmaConnection> fourth = pool.acquire().toFuture();
        assertThat(pool.metrics().pending()).isEqualTo(2);
        assertThat(failureOf(pool.acquire().toFuture()))
                .isInstanceOf(PoolExhaustedException.class)
                .hasMessageContaining("pendingAcquireMaxCount")
                .extracting(e -> ((PoolExhaustedException) e).limit())
                .isEqualTo(Limit.PENDING_ACQUIRE_MAX_COUNT);
        assertThat(pool.metrics().exhausted()).isOne();
        fixture.awaitConnections(2);
        second.release();
        assertThat(third.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).connection())
                .isSameAs(second.connection());
        assertThat(fourth).isNotDone();
        first.release();
        first.release(); // changes nothing
        assertThat(fourth.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).connection())
                .isSameAs(first.connection());
        assertThat(pool.metrics().active()).isEqualTo(2);
        first.invalidate(new IllegalStateException("a handle after its end"));
        assertThat(fourth.get().connection().isDisposed()).isFalse();
        third.get().release();
        fourth.get().release();
    }

    @Test
    void aWaitThatTakesTooLongNamesTheOption() throws Exception {
        RdmaConnectionPool pool = pool(fixture.server(), most(1).withPendingAcquireTimeout(Duration.ofSeconds(5)));
        PooledRdmaConnection only = pool.acquire().block(PATIENCE);
        CompletableFuture<PooledRdmaConnection> waiting = pool.acquire().toFuture();
        time.advanceTimeBy(Duration.ofMillis(4999));
        assertThat(waiting).isNotDone();
        time.advanceTimeBy(Duration.ofMillis(1));
        assertThat(failureOf(waiting))
                .isInstanceOf(PoolExhaustedException.class)
                .hasMessageContaining("pendingAcquireTimeout")
                .extracting(e -> ((PoolExhaustedException) e).limit())
                .isEqualTo(Limit.PENDING_ACQUIRE_TIMEOUT);
        assertThat(pool.metrics().pending()).isZero();
        only.release();
        assertThat(ask(pool, "afterwards")).isEqualTo("afterwards");
    }

    @Test
    void aWarmUpMakesConnectionsBeforeTheFirstUse() {
        RdmaConnectionPool pool = pool(fixture.server(), most(4).withWarmupConnections(3));
        assertThat(ask(pool, "cold")).isEqualTo("cold"); // one is idle, which must not count for all three
        assertThat(pool.warmup().block(PATIENCE)).isEqualTo(3);
        fixture.awaitConnections(3);
        assertThat(pool.metrics().idle()).isEqualTo(3);
        assertThat(pool.warmup().block(PATIENCE)).isEqualTo(3);
        assertThat(ask(pool, "warm")).isEqualTo("warm");
        assertThat(pool.metrics().opened()).isEqualTo(3);
    }

    @Test
    void aWarmUpWithoutServerFailsAndLeavesNothing() throws IOException {
        int nobody;
        try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = closed.getLocalPort();
        }
        RdmaConnectionPool pool = fixture.using(
                RdmaConnectionPool.create(fixture.client().port(nobody), most(4).withWarmupConnections(2)));
        assertThatThrownBy(() -> pool.warmup().block(PATIENCE))
                .isInstanceOf(RdmaConnectException.class)
                .extracting(e -> ((RdmaConnectException) e).reason())
                .isEqualTo(Reason.UNREACHABLE);
    }

    @Test
    void connectionsThatAreIdleTooLongAreClosedInTheBackground() {
        RdmaConnectionPool pool = pool(
                fixture.server(),
                most(4).withWarmupConnections(2)
                        .withMaxIdleTime(Duration.ofMinutes(1))
                        .withEvictInBackground(Duration.ofSeconds(10)));
        pool.warmup().block(PATIENCE);
        fixture.awaitConnections(2);
        time.advanceTimeBy(Duration.ofSeconds(50));
        assertThat(ask(pool, "in use")).isEqualTo("in use");
        time.advanceTimeBy(Duration.ofSeconds(10));
        fixture.awaitConnections(1);
        assertThat(pool.metrics().idle()).isOne();
        time.advanceTimeBy(Duration.ofSeconds(50));
        fixture.awaitConnections(0);
        assertThat(ask(pool, "anew")).isEqualTo("anew");
        assertThat(pool.metrics().opened()).isEqualTo(3);
    }

    @Test
    void connectionsThatAreTooOldAreNotReturned() {
        RdmaConnectionPool pool = pool(
                fixture.server(), most(1).withMaxLifeTime(Duration.ofMinutes(5)).withEvictInBackground(Duration.ZERO));
        RdmaConnection first = pool.withConnection(Mono::just).blockLast(PATIENCE);
        PooledRdmaConnection held = pool.acquire().block(PATIENCE);
        assertThat(held.connection()).isSameAs(first);
        time.advanceTimeBy(Duration.ofMinutes(6));
        assertThat(first.isDisposed()).as("while in use").isFalse();
        held.release();
        first.onDispose().block(PATIENCE);
        assertThat(ask(pool, "young")).isEqualTo("young");
    }

    @Test
    void theOrderOfReuseIsThatOfTheOption() {
        for (boolean lifo : new boolean[] {false, true}) {
            RdmaConnectionPool pool = pool(fixture.server(), most(2).withLifo(lifo));
            PooledRdmaConnection first = pool.acquire().block(PATIENCE);
            PooledRdmaConnection second = pool.acquire().block(PATIENCE);
            first.release();
            second.release();
            RdmaConnection next = pool.withConnection(Mono::just).blockLast(PATIENCE);
            assertThat(next).isSameAs((lifo ? second : first).connection());
        }
    }

    @Test
    void aConnectionThatThePeerClosedIsEvicted() {
        DisposableServer server = fixture.server();
        RdmaConnectionPool pool = pool(server, most(2).withWarmupConnections(2));
        pool.warmup().block(PATIENCE);
        server.disposeNow(PATIENCE);
        await().atMost(PATIENCE).untilAsserted(() -> {
            time.advanceTimeBy(PoolOptions.DEFAULT.evictInBackground());
            assertThat(pool.metrics().idle()).isZero();
        });
        fixture.server("127.0.0.1", server.port(), questions -> questions);
        assertThat(ask(pool, "of the new one")).isEqualTo("of the new one");
    }

    @Test
    void anAcquireThatIsCancelledTakesNoConnection() {
        RdmaConnectionPool pool = pool(fixture.server(), most(1));
        PooledRdmaConnection only = pool.acquire().block(PATIENCE);
        Disposable cancelled =
                pool.withConnection(connection -> ask(connection, "cancelled")).subscribe();
        CompletableFuture<String> next = pool.withConnection(connection -> ask(connection, "next"))
                .next()
                .toFuture();
        assertThat(pool.metrics().pending()).isEqualTo(2);
        cancelled.dispose();
        assertThat(pool.metrics().pending()).isOne();
        only.release();
        assertThat(next.join()).isEqualTo("next");
        assertThat(pool.metrics().opened()).as("the connection was kept").isOne();
    }

    @Test
    void theAnswerOfACancelledUserNeverReachesTheNextOne() {
        Sinks.One<Boolean> gate = Sinks.one();
        AtomicReference<String> asked = new AtomicReference<>();
        DisposableServer server = fixture.server(
                "127.0.0.1",
                0,
                questions -> Flux.from(questions).concatMap(question -> {
                    asked.set(question);
                    return question.equals("slow") ? gate.asMono().thenReturn("the late answer") : Mono.just(question);
                }));
        RdmaConnectionPool pool = pool(server, most(1));
        Disposable slow =
                pool.withConnection(connection -> ask(connection, "slow")).subscribe();
        await().atMost(PATIENCE).until(() -> "slow".equals(asked.get()));
        slow.dispose();
        gate.tryEmitValue(true).orThrow();
        assertThat(ask(pool, "quick")).isEqualTo("quick");
        assertThat(pool.metrics().opened()).isEqualTo(2);
    }

    @Test
    void anErrorOfTheUserEndsTheConnectionUnlessItKeepsIt() {
        RdmaConnectionPool pool = pool(fixture.server(), most(1));
        RdmaConnection first = pool.withConnection(Mono::just).blockLast(PATIENCE);
        assertThatThrownBy(() -> pool.withConnection(
                                connection -> Mono.error(new IllegalStateException("harmless")),
                                IllegalStateException.class::isInstance)
                        .blockLast(PATIENCE))
                .hasMessage("harmless");
        assertThat(pool.withConnection(Mono::just).blockLast(PATIENCE)).isSameAs(first);
        assertThatThrownBy(() -> pool.withConnection(connection -> {
                            throw new IllegalStateException("unknown");
                        })
                        .blockLast(PATIENCE))
                .hasMessage("unknown");
        first.onDispose().block(PATIENCE);
        assertThat(ask(pool, "next")).isEqualTo("next");
    }

    @Test
    void aConnectionWithAnAnswerThatWasNotAwaitedIsNotUsedAgain() {
        DisposableServer server = fixture.server(
                "127.0.0.1", 0, questions -> Flux.from(questions).concatMap(q -> Flux.just(q, "surplus")));
        RdmaConnectionPool pool = pool(server, most(1));
        PooledRdmaConnection held = pool.acquire().block(PATIENCE);
        assertThat(ask(held.connection(), "one").block(PATIENCE)).isEqualTo("one");
        await().atMost(PATIENCE).until(() -> held.connection().endpoint().outstandingReceives() == 1);
        held.release();
        assertThat(ask(pool, "two")).isEqualTo("two");
        assertThat(held.connection().isDisposed()).isTrue();
    }

    @Test
    void aPoolThatIsDisposedWaitsForItsUsers() throws Exception {
        RdmaConnectionPool pool = pool(fixture.server(), most(2));
        PooledRdmaConnection held = pool.acquire().block(PATIENCE);
        PooledRdmaConnection other = pool.acquire().block(PATIENCE);
        CompletableFuture<PooledRdmaConnection> waiting = pool.acquire().toFuture();
        other.release();
        waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
        CompletableFuture<Void> end = pool.disposeLater().toFuture();
        assertThat(ask(held.connection(), "still")).isNotNull();
        assertThat(ask(held.connection(), "still").block(PATIENCE)).isEqualTo("still");
        fixture.awaitConnections(1);
        assertThat(end).isNotDone();
        assertThat(failureOf(pool.acquire().toFuture()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pool is closed");
        held.release();
        end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        fixture.awaitConnections(0);
    }

    @Test
    void aPoolThatIsDisposedWhileItConnectsLeavesNothing() throws Exception {
        DisposableServer server = fixture.server();
        for (int i = 0; i < 20; i++) {
            RdmaConnectionPool pool = pool(server, most(4).withWarmupConnections(4));
            pool.warmup().onErrorComplete().subscribe();
            CompletableFuture<Void> end = pool.disposeLater().toFuture();
            end.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        fixture.awaitConnections(0);
    }

    @Test
    void usersThatAreCancelledAtAnyMomentLeakNothing() {
        RdmaConnectionPool pool = pool(fixture.server(), most(2).withPendingAcquireMaxCount(1000));
        for (int i = 0; i < 200; i++) {
            Disposable user = pool.withConnection(connection -> ask(connection, "cancelled"))
                    .subscribe();
            Thread.yield();
            user.dispose();
        }
        await().atMost(PATIENCE).until(() -> pool.metrics().active() == 0);
        assertThat(ask(pool, "afterwards")).isEqualTo("afterwards");
    }
}
