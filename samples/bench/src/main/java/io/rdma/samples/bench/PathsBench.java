package io.rdma.samples.bench;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.PathOptions;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.soft.LinkFaults;
import io.rdma.soft.SoftNetwork;
import io.rdma.types.PathMigrationState;
import io.rdma.types.RdmaException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A measurement of the interruption when a path is lost, by path migration and by connecting again. */
@Command(
        name = "paths",
        mixinStandardHelpOptions = true,
        description = "Time from the loss of a path of soft0 to the next message that the peer has acknowledged, with"
                + " path migration and by connecting again over the other path.")
final class PathsBench implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String HOST = "127.0.0.1";
    private static final String OTHER_HOST = "127.0.0.2";
    private static final int SHORT_TIMEOUT = 14;
    private static final int FEW_RETRIES = 2;

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Override
    public Integer call() throws Exception {
        Results results = new Results("paths");
        UnaryOperator<ConnectionOptions> impatient =
                o -> o.withTimeout(SHORT_TIMEOUT).withRetryCnt(FEW_RETRIES);
        for (int round = 1; round <= options.rounds(); round++) {
            measure(results, ", timeout 14, retryCnt 2", impatient);
            if (!options.quick()) {
                measure(results, ", default options", UnaryOperator.identity());
            }
        }
        options.finish(results);
        return 0;
    }

    private static void measure(Results results, String name, UnaryOperator<ConnectionOptions> change)
            throws Exception {
        results.add("migration" + name, "ms", migration(change));
        results.add("connecting again" + name, "ms", reconnection(change));
    }

    private static ConnectionOptions by(ConnectionOptions from, UnaryOperator<PathOptions> path) {
        return from.withConnectMethod(ConnectMethod.TCP).withPath(path.apply(PathOptions.DEFAULT));
    }

    private static double migration(UnaryOperator<ConnectionOptions> change) throws Exception {
        InetAddress other = InetAddress.getByName(OTHER_HOST);
        UnaryOperator<ConnectionOptions> both = o -> by(change.apply(o), path -> path.withAlternateGidAddress(other));
        try (SoftNetwork network = SoftNetwork.createWithTwoAddresses()) {
            DisposableServer server = server(network, HOST, both);
            RdmaConnection connection = client(network, HOST, server, both).connectNow(PATIENCE);
            while (connection.endpoint().query().pathMigState() != PathMigrationState.ARMED) {
                send(connection);
            }
            long start = lose(network);
            send(connection);
            double millis = millisSince(start);
            close(connection, server);
            return millis;
        }
    }

    private static double reconnection(UnaryOperator<ConnectionOptions> change) throws Exception {
        InetAddress other = InetAddress.getByName(OTHER_HOST);
        UnaryOperator<ConnectionOptions> first = o -> by(change.apply(o), path -> path);
        UnaryOperator<ConnectionOptions> second = o -> by(change.apply(o), path -> path.withGidAddress(other));
        try (SoftNetwork network = SoftNetwork.createWithTwoAddresses()) {
            DisposableServer server = server(network, HOST, first);
            DisposableServer beside = server(network, OTHER_HOST, second);
            RdmaConnection connection = client(network, HOST, server, first).connectNow(PATIENCE);
            send(connection);
            long start = lose(network);
            try {
                send(connection);
                throw new IllegalStateException("the path was not lost");
            } catch (RdmaException lost) {
                connection = client(network, OTHER_HOST, beside, second).connectNow(PATIENCE);
                send(connection);
            }
            double millis = millisSince(start);
            close(connection, server);
            beside.disposeNow(PATIENCE);
            return millis;
        }
    }

    private static DisposableServer server(SoftNetwork network, String host, UnaryOperator<ConnectionOptions> change) {
        return RdmaServer.create()
                .device(network.device())
                .host(host)
                .port(0)
                .options(change)
                .handle(connection ->
                        connection.receive(message -> message.length()).then())
                .bindNow(PATIENCE);
    }

    private static RdmaClient client(
            SoftNetwork network, String host, DisposableServer server, UnaryOperator<ConnectionOptions> change) {
        return RdmaClient.create()
                .device(network.device())
                .host(host)
                .port(server.port())
                .options(change);
    }

    private static long lose(SoftNetwork network) throws Exception {
        network.setFaults(InetAddress.getByName(HOST), LinkFaults.NONE.withPartitioned(true));
        return System.nanoTime();
    }

    private static double millisSince(long start) {
        return (System.nanoTime() - start) / 1e6;
    }

    private static void send(RdmaConnection connection) {
        connection.send(ByteBuffer.allocate(64)).block(PATIENCE);
    }

    private static void close(RdmaConnection connection, DisposableServer server) {
        connection.disposeLater().block(PATIENCE);
        server.disposeNow(PATIENCE);
    }
}
