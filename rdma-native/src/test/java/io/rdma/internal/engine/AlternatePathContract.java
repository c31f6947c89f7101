package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TcpRelay;
import io.rdma.testing.TestDevice;
import io.rdma.types.PathMigrationState;
import io.rdma.types.VerbsException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** Connections with an alternate path: they are armed by their packets, migrate, go on, and are armed again. */
abstract class AlternatePathContract extends ConnectedContract {
    /** 67 ms, eight times in a row, is longer than a busy machine keeps a thread waiting. */
    private static final int TIMEOUT = 14;

    private static final int RETRIES = 7;
    private static final int ENOUGH_MESSAGES = 4;

    /** Returns the address of a GID that is not the one of the connections. */
    abstract InetAddress alternate();

    /** Returns the address of the GID of the connections. */
    abstract InetAddress first();

    /** Loses what is sent to an address of the device, and nothing else. */
    abstract void lose(InetAddress address);

    /** Handles the refusal of an alternate path: only some devices may refuse it. */
    void refusesAlternatePaths(RdmaConnectException refusal) {
        throw refusal;
    }

    private void orRefused(Runnable connecting) {
        try {
            connecting.run();
        } catch (CompletionException e) {
            awaitNoEndpoint();
            refusesAlternatePaths((RdmaConnectException) e.getCause());
        }
    }

    private ConnectionOptions migrating() {
        return small().withConnectMethod(ConnectMethod.TCP)
                .withTimeout(TIMEOUT)
                .withRetryCnt(RETRIES)
                .withProbeInterval(Duration.ZERO)
                .withPath(PathOptions.DEFAULT.withAlternateGidAddress(alternate()));
    }

    private PathMigrationState state(Endpoint of) {
        return of.query().pathMigState();
    }

    /** Exchanges messages until the device has armed both sides. */
    private void arm() {
        await("the alternate path is set")
                .atMost(PATIENCE)
                .until(() -> client.query().alternatePath() != null);
        for (int i = 0; i < ENOUGH_MESSAGES; i++) {
            exchange(client, server);
            exchange(server, client);
        }
        assertThat(state(client)).isEqualTo(PathMigrationState.ARMED);
        assertThat(state(server)).isEqualTo(PathMigrationState.ARMED);
    }

    private void awaitMigrations(int count) {
        await("both sides migrate")
                .atMost(PATIENCE)
                .until(() -> client.migrations() == count && server.migrations() == count);
    }

    private int gid(Endpoint of) {
        return Objects.requireNonNull(Objects.requireNonNull(of.query().path()).route())
                .sgidIndex();
    }

    @Test
    void aConnectionMigratesGoesOnAndMigratesBack() {
        orRefused(() -> connect(migrating()));
        awaitFirstFrame();
        arm();
        int first = gid(client);
        lose(InetAddress.getLoopbackAddress());
        exchange(client, server);
        exchange(server, client);
        awaitMigrations(1);
        assertThat(gid(client)).isNotEqualTo(first);
        await("both sides are set again")
                .atMost(PATIENCE)
                .until(() ->
                        client.query().alternatePath() != null && server.query().alternatePath() != null);
        arm();
        lose(alternate());
        exchange(server, client);
        exchange(client, server);
        awaitMigrations(2);
        assertThat(gid(client)).isEqualTo(first);
        assertThat(client.isClosing()).isFalse();
        assertThat(server.isClosing()).isFalse();
        assertThat(client.counters().migrations()).as("migrations of the loop").isGreaterThanOrEqualTo(2);
    }

    /** The exchange runs over the first path, so its TCP connection breaks some time after a migration. */
    @Test
    void aMigratedConnectionOutlivesTheTcpConnectionOfItsExchange() throws Exception {
        CompletableFuture<EstablishedConnection> accepted = new CompletableFuture<>();
        InetSocketAddress any = new InetSocketAddress(TestDevice.host(device()), 0);
        try (CapturedLog log = new CapturedLog(EndpointMigration.class.getName());
                RdmaListener listener =
                        RdmaListener.bind(resources, migrating(), AdmissionLimits.DEFAULT, any, accepted::complete);
                TcpRelay relay = new TcpRelay(listener.address())) {
            orRefused(() -> client = ConnectOutcome.of(resources, migrating(), relay.address())
                    .join()
                    .endpoint());
            server = accepted.join().endpoint();
            awaitFirstFrame();
            arm();
            lose(InetAddress.getLoopbackAddress());
            exchange(client, server);
            awaitMigrations(1);
            relay.reset();
            await("both sides have asked their peer")
                    .atMost(PATIENCE)
                    .until(() -> log.lines().stream()
                                    .filter(line -> line.contains("but its peer answers"))
                                    .count()
                            == 2);
            exchange(client, server);
            exchange(server, client);
            assertThat(client.failure()).isNull();
            assertThat(server.failure()).isNull();
        }
    }

    private void awaitNoEndpoint() {
        await("the server's side ends, too")
                .atMost(PATIENCE)
                .until(() -> resources.loops().stream().allMatch(loop -> loop.freeEntries() == loop.entries()));
    }

    @Test
    void anAlternatePathFromTheConnectionsOwnAddressIsRefused() {
        PathOptions same = PathOptions.DEFAULT.withAlternateGidAddress(first());
        refused(migrating().withPath(same), migrating(), "nothing would be protected");
        refused(migrating(), migrating().withPath(same), "its log says why");
    }

    @Test
    void aSideWithoutAnAlternatePathIsRefusedByOneThatHasOne() {
        ConnectionOptions plain = small().withConnectMethod(ConnectMethod.TCP);
        refused(migrating(), plain, "set the path's alternateGidAddress on both sides");
        refused(plain, migrating(), "set the path's alternateGidAddress on both sides");
    }

    @Test
    void anAlternatePathThatCannotBeHadIsRefused() {
        refused(migrating().withConnectMethod(ConnectMethod.RDMA_CM), migrating(), "choose ConnectMethod.TCP");
        PathOptions elsewhere = PathOptions.DEFAULT.withAlternateGidAddress(InetAddress.ofLiteral("192.0.2.77"));
        refused(migrating().withPath(elsewhere), migrating(), "alternateGidAddress 192.0.2.77 is not possible");
    }

    @Test
    void aPeerIsReachedAtTheAlternateAddressThatThisSideExpects() {
        orRefused(() -> connect(expecting(alternate())));
        awaitFirstFrame();
        arm();
    }

    @Test
    void aPeerWithAnotherAlternateAddressThanThisSideExpectsIsRefused() {
        InetAddress elsewhere = InetAddress.ofLiteral("192.0.2.77");
        refused(expecting(elsewhere), migrating(), "which is not this path's peerAlternateGidAddress");
        refused(migrating(), expecting(elsewhere), "which is not this path's peerAlternateGidAddress");
    }

    @Test
    void aSideThatExpectsAnAlternateAddressHasOneItself() {
        PathOptions alone = PathOptions.DEFAULT.withPeerAlternateGidAddress(alternate());
        refused(migrating().withPath(alone), migrating(), "set the path's alternateGidAddress too");
    }

    private ConnectionOptions expecting(InetAddress address) {
        return migrating().withPath(migrating().path().withPeerAlternateGidAddress(address));
    }

    private void refused(ConnectionOptions clients, ConnectionOptions servers, String why) {
        assertThatThrownBy(() -> connect(clients, servers))
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(RdmaConnectException.class, refusal -> {
                    awaitNoEndpoint();
                    if (refusal.getCause() instanceof VerbsException) { // of the device
                        refusesAlternatePaths(refusal);
                    }
                    assertThat(refusal).hasMessageContaining(why);
                });
    }
}
