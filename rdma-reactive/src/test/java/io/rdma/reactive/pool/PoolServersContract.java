package io.rdma.reactive.pool;

import static io.rdma.reactive.pool.PoolFixture.PATIENCE;
import static io.rdma.reactive.pool.PoolFixture.ask;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AddressSupplier;
import io.rdma.connect.Balancing;
import io.rdma.connect.PoolOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.ServerAddress;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaConnection;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestPorts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Contract of a pool of connections to several servers, the same on every device. */
abstract class PoolServersContract extends PooledContract {
    private RdmaConnectionPool pool(AddressSupplier servers, PoolOptions options) {
        return fixture.using(RdmaConnectionPool.create(fixture.client(), servers, options));
    }

    private static ServerAddress address(DisposableServer server) {
        return ServerAddress.of("127.0.0.1", server.port());
    }

    /** Holds as many connections at once, and returns their number for each server's port. */
    private static Map<Integer, Integer> spread(RdmaConnectionPool pool, int connections) {
        List<PooledRdmaConnection> held = new ArrayList<>();
        Map<Integer, Integer> spread = new TreeMap<>();
        for (int i = 0; i < connections; i++) {
            held.add(pool.acquire().block(PATIENCE));
            spread.merge(held.getLast().connection().remoteAddress().getPort(), 1, Integer::sum);
        }
        held.forEach(PooledRdmaConnection::release);
        return spread;
    }

    @Test
    void connectionsAreSpreadAsTheWeightsSay() {
        DisposableServer small = fixture.server();
        DisposableServer large = fixture.server();
        for (Balancing exact : List.of(Balancing.ROUND_ROBIN, Balancing.LEAST_CONNECTIONS)) {
            RdmaConnectionPool pool = pool(
                    AddressSupplier.of(address(small), address(large).withWeight(3)),
                    PoolOptions.DEFAULT.withBalancing(exact).withMaxConnections(8));
            assertThat(spread(pool, 8)).isEqualTo(Map.of(small.port(), 2, large.port(), 6));
        }
        fixture.awaitConnections(16);
    }

    @Test
    void aServerThatIsKilledIsReplacedByAnother() throws Exception {
        DisposableServer survivor = fixture.server();
        try (JavaProcess doomed = new JavaProcess(EchoProcess.class, device())) {
            int port = Integer.parseInt(doomed.await("port"));
            RdmaConnectionPool pool = pool(
                    AddressSupplier.of(ServerAddress.of("127.0.0.1", port), address(survivor)),
                    PoolOptions.DEFAULT.withMaxConnections(4));
            assertThat(spread(pool, 4)).isEqualTo(Map.of(port, 2, survivor.port(), 2));
            PooledRdmaConnection used = pool.acquire().block(PATIENCE);
            while (used.connection().remoteAddress().getPort() != port) { // one of the four
                used.release();
                used = pool.acquire().block(PATIENCE);
            }
            doomed.kill();
            RdmaConnection lost = used.connection();
            lost.onDispose().block(PATIENCE);
            used.release(); // the pool notices
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(spread(pool, 4)).isEqualTo(Map.of(survivor.port(), 4)));
            assertThat(pool.metrics().failed()).isPositive();
        }
    }

    @Test
    void aServerThatComesBackIsUsedAfterItsPenalty() {
        DisposableServer steady = fixture.server();
        DisposableServer restarted = fixture.server("127.0.0.1", TestPorts.free(), questions -> questions);
        RdmaConnectionPool pool = pool(
                AddressSupplier.of(address(steady), address(restarted)), PoolOptions.DEFAULT.withMaxConnections(4));
        restarted.disposeNow(PATIENCE);
        assertThat(spread(pool, 3)).isEqualTo(Map.of(steady.port(), 3));
        assertThat(pool.metrics().failed())
                .as("it is skipped after one attempt")
                .isOne();
        fixture.server("127.0.0.1", restarted.port(), questions -> questions);
        time.advanceTimeBy(PoolOptions.DEFAULT.firstPenalty());
        assertThat(spread(pool, 4)).isEqualTo(Map.of(steady.port(), 3, restarted.port(), 1));
    }

    @Test
    void aPoolWithoutServersSaysSoAndGoesOnWhenThereAreSome() {
        AtomicReference<List<ServerAddress>> discovered = new AtomicReference<>(List.of());
        RdmaConnectionPool pool = pool(discovered::get, PoolOptions.DEFAULT);
        assertThatThrownBy(() -> ask(pool, "nobody"))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("AddressSupplier")
                .extracting(e -> ((RdmaConnectException) e).reason())
                .isEqualTo(Reason.NO_SERVERS);
        discovered.set(List.of(address(fixture.server())));
        assertThat(ask(pool, "somebody")).isEqualTo("somebody");
    }

    @Test
    void theErrorNamesAllServersThatCannotBeReached() {
        DisposableServer first = fixture.server();
        DisposableServer second = fixture.server();
        first.disposeNow(PATIENCE);
        second.disposeNow(PATIENCE);
        RdmaConnectionPool pool = pool(AddressSupplier.of(address(first), address(second)), PoolOptions.DEFAULT);
        assertThatThrownBy(() -> ask(pool, "nobody"))
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining(":" + first.port())
                .hasMessageContaining(":" + second.port())
                .extracting(e -> ((RdmaConnectException) e).reason())
                .isEqualTo(Reason.UNREACHABLE);
        assertThat(pool.metrics().failed()).isEqualTo(2);
    }

    @Test
    void aNameWhoseAddressesChangeIsFollowed() throws UnknownHostException {
        DisposableServer first = fixture.server("127.0.0.1", TestPorts.free(), questions -> questions);
        fixture.server("127.0.0.2", first.port(), questions -> questions);
        InetAddress one = InetAddress.getByName("127.0.0.1");
        InetAddress other = InetAddress.getByName("127.0.0.2");
        AtomicReference<InetAddress[]> records = new AtomicReference<>(new InetAddress[] {one});
        AtomicReference<String> asked = new AtomicReference<>();
        RdmaConnectionPool pool = pool(
                AddressSupplier.dns("echo.example", first.port(), name -> {
                    asked.set(name);
                    return records.get();
                }),
                PoolOptions.DEFAULT.withEvictInBackground(PoolOptions.DEFAULT.addressRefresh()));
        assertThat(peer(pool)).isEqualTo(one);
        assertThat(asked).hasValue("echo.example");
        records.set(new InetAddress[] {other});
        assertThat(peer(pool)).as("the list is still fresh").isEqualTo(one);
        await().atMost(PATIENCE).untilAsserted(() -> {
            time.advanceTimeBy(PoolOptions.DEFAULT.addressRefresh());
            assertThat(pool.metrics().idle()).as("left the list").isZero();
        });
        fixture.awaitConnections(0);
        assertThat(peer(pool)).isEqualTo(other);
    }

    private static InetAddress peer(RdmaConnectionPool pool) {
        InetSocketAddress peer = pool.withConnection(Mono::just)
                .map(RdmaConnection::remoteAddress)
                .blockLast(PATIENCE);
        return peer.getAddress();
    }
}
