package io.rdma.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.AddressSupplier;
import io.rdma.connect.Balancing;
import io.rdma.connect.PoolOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.ServerAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests of the choice among servers and of their penalties. The test decides when time passes. */
class ServerBalancerTest {
    private static final ServerAddress A = ServerAddress.of("a", 1);
    private static final ServerAddress B = ServerAddress.of("b", 2);
    private static final ServerAddress C = ServerAddress.of("c", 3);
    private static final RdmaConnectException REFUSED = new RdmaConnectException(Reason.UNREACHABLE, "refused", null);

    private long now = -5; // nanoTime may be negative, and passes zero here
    private List<ServerAddress> discovered = List.of(A, B, C);
    private boolean discoveryFails;
    private int lookUps;

    private ServerBalancer balancer(PoolOptions options) {
        return balancer(options, 1);
    }

    private ServerBalancer balancer(PoolOptions options, long seed) {
        return new ServerBalancer(this::lookUp, options, () -> now, new Random(seed));
    }

    private List<ServerAddress> lookUp() throws IOException {
        lookUps++;
        if (discoveryFails) {
            throw new IOException("the discovery is down");
        }
        return discovered;
    }

    private static PoolOptions by(Balancing balancing) {
        return PoolOptions.DEFAULT.withBalancing(balancing);
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private static String name(ServerLease lease) {
        return lease.address().getHostString();
    }

    private static ServerLease connect(ServerBalancer balancer) {
        ServerLease lease = balancer.attempts().next();
        lease.connected();
        return lease;
    }

    private static Map<String, Integer> spread(ServerBalancer balancer, int choices, boolean keep) {
        Map<String, Integer> spread = new TreeMap<>();
        for (int i = 0; i < choices; i++) {
            ServerLease lease = connect(balancer);
            spread.merge(name(lease), 1, Integer::sum);
            if (!keep) {
                lease.ended();
            }
        }
        return spread;
    }

    private static void refuse(ServerBalancer balancer, String expected) {
        ConnectAttempts attempts = balancer.attempts();
        ServerLease lease = attempts.next();
        assertThat(name(lease)).isEqualTo(expected);
        assertThat(attempts.failed(lease, REFUSED)).isTrue();
    }

    @Test
    void roundRobinGivesEachServerItsWeightInEveryRow() {
        discovered = List.of(A.withWeight(5), B, C.withWeight(2));
        for (long seed = 0; seed < 50; seed++) {
            ServerBalancer balancer = balancer(by(Balancing.ROUND_ROBIN), seed);
            for (int row = 0; row < 3; row++) {
                assertThat(spread(balancer, 8, false)).isEqualTo(Map.of("a", 5, "b", 1, "c", 2));
            }
        }
    }

    @Test
    void roundRobinSpreadsTheChoicesOfAServer() {
        discovered = List.of(A.withWeight(2), B.withWeight(2));
        ServerBalancer balancer = balancer(by(Balancing.ROUND_ROBIN));
        String first = name(connect(balancer));
        for (int i = 0; i < 6; i++) {
            String second = name(connect(balancer));
            assertThat(second).isNotEqualTo(first);
            first = second;
        }
    }

    @Test
    void clientsWithTheSameListBeginAtDifferentServers() {
        for (Balancing each : Balancing.values()) {
            List<String> first = new ArrayList<>();
            for (long seed = 0; seed < 50; seed++) {
                first.add(name(connect(balancer(by(each), seed))));
            }
            assertThat(first).as("%s", each).contains("a", "b", "c");
        }
    }

    @Test
    void leastConnectionsFillsUpByWeight() {
        discovered = List.of(A.withWeight(3), B);
        ServerBalancer balancer = balancer(by(Balancing.LEAST_CONNECTIONS));
        assertThat(spread(balancer, 40, true)).isEqualTo(Map.of("a", 30, "b", 10));
    }

    @Test
    void leastConnectionsPrefersTheServerThatLostItsConnections() {
        discovered = List.of(A, B);
        ServerBalancer balancer = balancer(by(Balancing.LEAST_CONNECTIONS));
        List<ServerLease> leases = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            leases.add(connect(balancer));
        }
        leases.stream().filter(lease -> name(lease).equals("b")).forEach(lease -> {
            lease.ended();
            lease.ended(); // counts once
        });
        assertThat(spread(balancer, 5, true)).isEqualTo(Map.of("a", 1, "b", 4));
    }

    @Test
    void randomChoosesInProportionToTheWeights() {
        discovered = List.of(A.withWeight(3), B);
        ServerBalancer balancer = balancer(by(Balancing.RANDOM), 42); // a fixed seed: the outcome is always the same
        assertThat(spread(balancer, 4000, false).get("a")).isBetween(2900, 3100);
    }

    @Test
    void thePenaltyDoublesUpToItsBound() {
        discovered = List.of(A, B);
        ServerBalancer balancer = balancer(
                PoolOptions.DEFAULT.withFirstPenalty(Duration.ofSeconds(1)).withLongestPenalty(Duration.ofSeconds(5)));
        ServerLease busy = connect(balancer);
        String loaded = name(busy);
        String refusing = loaded.equals("a") ? "b" : "a";
        for (int seconds : new int[] {1, 2, 4, 5, 5}) {
            refuse(balancer, refusing); // it has the fewest connections
            pass(Duration.ofSeconds(seconds).minusNanos(1));
            ServerLease other = balancer.attempts().next();
            assertThat(name(other)).as("%s s", seconds).isEqualTo(loaded);
            other.ended();
            pass(Duration.ofNanos(1));
        }
        ServerLease back = connect(balancer);
        assertThat(name(back)).isEqualTo(refusing);
        back.ended();
        refuse(balancer, refusing); // a success has ended the penalties: the first one again
        pass(Duration.ofSeconds(1));
        refuse(balancer, refusing);
    }

    @Test
    void oneAttemptAtATimeFindsOutWhetherAServerIsBack() {
        discovered = List.of(A, B);
        ServerBalancer balancer = balancer(PoolOptions.DEFAULT);
        String loaded = name(connect(balancer));
        String refusing = loaded.equals("a") ? "b" : "a";
        refuse(balancer, refusing);
        pass(PoolOptions.DEFAULT.firstPenalty());
        ServerLease probe = balancer.attempts().next();
        assertThat(name(probe)).isEqualTo(refusing);
        assertThat(name(balancer.attempts().next())).isEqualTo(loaded);
        probe.connected();
        assertThat(name(balancer.attempts().next())).isEqualTo(refusing);
    }

    @Test
    void eachServerIsTriedOnceAndThoseWithPenaltiesLast() {
        ServerBalancer balancer = balancer(by(Balancing.ROUND_ROBIN));
        for (int round = 0; round < 2; round++) {
            ConnectAttempts attempts = balancer.attempts();
            List<String> tried = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                ServerLease lease = attempts.next();
                tried.add(name(lease));
                pass(Duration.ofMillis(1));
                attempts.failed(lease, REFUSED);
            }
            assertThat(tried).containsExactlyInAnyOrder("a", "b", "c");
            assertThatThrownBy(attempts::next)
                    .isInstanceOf(RdmaConnectException.class)
                    .hasMessageContaining("none of the 3 servers")
                    .hasCause(REFUSED);
        }
    }

    @Test
    void aFailureOfThisSideIsNotThatOfTheServer() {
        discovered = List.of(A);
        ServerBalancer balancer = balancer(PoolOptions.DEFAULT);
        for (Throwable own : List.of(
                new RdmaConnectException(Reason.DEVICE, "no memory", null),
                new RdmaConnectException(Reason.CANCELLED, "cancelled", null),
                new IllegalStateException("closed"))) {
            ConnectAttempts attempts = balancer.attempts();
            assertThat(attempts.failed(attempts.next(), own)).isFalse();
        }
        discovered = List.of(A, B.withWeight(100));
        pass(PoolOptions.DEFAULT.addressRefresh());
        assertThat(spread(balancer, 101, true)).as("no penalty").isEqualTo(Map.of("a", 1, "b", 100));
    }

    @Test
    void theListIsLookedUpAgainAfterItsTime() {
        ServerBalancer balancer = balancer(PoolOptions.DEFAULT);
        ServerLease first = connect(balancer);
        discovered = List.of(A, B, C).stream()
                .filter(server -> !server.address().equals(first.address()))
                .toList();
        pass(PoolOptions.DEFAULT.addressRefresh().minusNanos(1));
        balancer.refresh();
        assertThat(lookUps).isOne();
        assertThat(first.isListed()).isTrue();
        pass(Duration.ofNanos(1));
        balancer.refresh();
        assertThat(lookUps).isEqualTo(2);
        assertThat(first.isListed()).isFalse();
        assertThat(spread(balancer, 10, false)).doesNotContainKey(name(first)).hasSize(2);
    }

    @Test
    void aServerThatLeavesAndReturnsKeepsItsCount() {
        discovered = List.of(A);
        ServerBalancer balancer = balancer(PoolOptions.DEFAULT);
        connect(balancer);
        discovered = List.of(B);
        pass(PoolOptions.DEFAULT.addressRefresh());
        connect(balancer);
        discovered = List.of(A, B);
        pass(PoolOptions.DEFAULT.addressRefresh());
        assertThat(spread(balancer, 2, true)).isEqualTo(Map.of("a", 1, "b", 1));
    }

    @Test
    void aDiscoveryThatFailsKeepsTheList() {
        ServerBalancer balancer = balancer(PoolOptions.DEFAULT);
        discoveryFails = true;
        assertThatThrownBy(balancer::attempts)
                .isInstanceOf(RdmaConnectException.class)
                .hasMessageContaining("the discovery is down")
                .extracting(e -> ((RdmaConnectException) e).reason())
                .isEqualTo(Reason.UNKNOWN_HOST);
        discoveryFails = false;
        connect(balancer);
        discoveryFails = true;
        pass(PoolOptions.DEFAULT.addressRefresh());
        assertThat(spread(balancer, 9, true)).hasSize(3);
        assertThat(lookUps).as("asked again after the time only").isEqualTo(3);
    }

    @Test
    void serversThatAllRefuseMakeTheNextConnectLookThemUp() {
        discovered = List.of(A);
        ServerBalancer balancer = balancer(PoolOptions.DEFAULT);
        ConnectAttempts attempts = balancer.attempts();
        attempts.failed(attempts.next(), REFUSED);
        assertThatThrownBy(attempts::next).isSameAs(REFUSED);
        discovered = List.of(B);
        assertThat(name(balancer.attempts().next())).isEqualTo("b");
    }

    @Test
    void anAddressIsChecked() {
        assertThatThrownBy(() -> A.withWeight(0)).hasMessageContaining("weight");
        assertThatThrownBy(() -> A.withWeight(101)).hasMessageContaining("weight");
        assertThatThrownBy(() -> ServerAddress.of("a", 0)).hasMessageContaining("port");
        assertThatThrownBy(() -> AddressSupplier.dns("a", 65536)).isInstanceOf(IllegalArgumentException.class);
    }
}
