package io.rdma.interop;

import static io.rdma.interop.Side.check;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.connect.EstablishedConnection;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.seam.FaultySeam;
import io.rdma.types.QueuePairCapacity;
import io.rdma.verbs.DeviceOf;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Peer of {@code cmtime(1)} of rdmacm-utils, which makes many connections at once and then ends them, in both
 * directions. It starts that program itself:
 *
 * <pre>
 * CmtimeLoad DEVICE OWN_ADDRESS PEER_ADDRESS CONNECTIONS PORT [PREFIX…]
 * </pre>
 *
 * <p>The listener must lose no connection, serve another client behind them, and leave no object of the device.
 * PREFIX is put before the command, to run it in another network namespace. Prints lines as {@link Run#report} does.
 */
final class CmtimeLoad {
    private static final ConnectionOptions OPTIONS = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.RDMA_CM)
            .withFlowControl(FlowControl.PLAIN)
            .withReceiveBuffers(2, 1024)
            .withSendBuffers(2, 1024)
            .withQueuePair(new QueuePairCapacity(4, 4, 1, 1, 0));

    private final String device;
    private final String own;
    private final String peer;
    private final int connections;
    private final int port;
    private final List<String> prefix;

    private CmtimeLoad(String[] args) {
        device = args[0];
        own = args[1];
        peer = args[2];
        connections = Integer.parseInt(args[3]);
        port = Integer.parseInt(args[4]);
        prefix = Arrays.asList(args).subList(5, args.length);
    }

    /** Part of a run that has the resources of our device. */
    private interface Part {
        void run(DeviceResources resources) throws IOException, InterruptedException;
    }

    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs all, and returns the exit status. */
    static int run(String[] args) {
        CmtimeLoad load = new CmtimeLoad(args);
        boolean right = Run.report(
                "cmtime to our listener on " + load.device + ", " + load.connections + " connections at once",
                () -> load.withoutLeak(load::serve));
        right &= Run.report(
                "our clients on " + load.device + " to cmtime, " + load.connections + " connections at once",
                () -> load.withoutLeak(load::request));
        return right ? 0 : 1;
    }

    /** Runs with the resources of the device, and then checks that every object of the device has been destroyed. */
    private void withoutLeak(Part part) throws IOException, InterruptedException {
        FaultySeam seam = new FaultySeam(DeviceOf.library(RdmaDevices.named(device)), List.of());
        try (DeviceResources resources = new DeviceResources(seam.device(device), ResourceOptions.DEFAULT)) {
            part.run(resources);
            awaitNone(resources);
        }
        await("nothing is left")
                .atMost(Utility.PATIENCE)
                .until(() -> seam.left().isEmpty());
    }

    private static void awaitNone(DeviceResources resources) {
        await("the connections have ended")
                .atMost(Utility.PATIENCE)
                .until(() -> resources.endpoints().isEmpty());
    }

    private Utility cmtime(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("cmtime", "-b", peer));
        command.addAll(List.of(options));
        return new Utility(prefix, command);
    }

    /** Runs the listener. A second client finds it as the first one did. */
    private void serve(DeviceResources resources) throws IOException, InterruptedException {
        AtomicInteger accepted = new AtomicInteger();
        try (RdmaListener listener = RdmaListener.bind(
                resources,
                OPTIONS,
                AdmissionLimits.DEFAULT,
                new InetSocketAddress(own, 0),
                connection -> accepted.incrementAndGet())) {
            String at = Integer.toString(listener.address().getPort());
            int expected = 0;
            for (int count : new int[] {connections, 3}) {
                expected += count;
                try (Utility client = cmtime("-s", own, "-p", at, "-c", Integer.toString(count))) {
                    client.expectSuccess();
                    client.expectNot("error"); // it ends with status 0 in any case
                }
                check(accepted.get() == expected, accepted + " connections of " + expected);
                awaitNone(resources);
            }
        }
    }

    /** Runs the clients. The first one repeats its request until cmtime listens. */
    private void request(DeviceResources resources) throws IOException, InterruptedException {
        try (Utility server = cmtime("-p", Integer.toString(port))) {
            long deadline = System.nanoTime() + Utility.PATIENCE.toNanos();
            EstablishedConnection first;
            while ((first = tryConnect(resources)) == null) {
                server.awaitNextAttempt(deadline);
            }
            List<ConnectOutcome> others = new ArrayList<>();
            for (int i = 1; i < connections; i++) {
                others.add(begin(resources));
            }
            List<EstablishedConnection> all = new ArrayList<>(List.of(first));
            others.forEach(one -> all.add(result(one)));
            all.forEach(connection ->
                    check(!connection.endpoint().isClosing(), "a connection: " + connection.remoteAddress()));
            all.forEach(connection -> connection.endpoint().close());
            awaitNone(resources);
            server.terminate();
        }
    }

    private ConnectOutcome begin(DeviceResources resources) {
        return ConnectOutcome.of(resources, OPTIONS, new InetSocketAddress(peer, port));
    }

    private static EstablishedConnection result(ConnectOutcome outcome) {
        return outcome.orTimeout(Utility.PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Returns null if nothing listens yet. */
    private @Nullable EstablishedConnection tryConnect(DeviceResources resources) {
        try {
            return result(begin(resources));
        } catch (CompletionException e) {
            if (e.getCause() instanceof RdmaConnectException failed && failed.reason() == Reason.REJECTED) {
                return null;
            }
            throw e;
        }
    }
}
