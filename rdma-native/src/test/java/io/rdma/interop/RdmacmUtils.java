package io.rdma.interop;

import static io.rdma.interop.Side.check;

import io.rdma.types.CmEventType;
import io.rdma.types.PortSpace;
import io.rdma.verbs.CmEvent;
import io.rdma.verbs.CmEventChannel;
import io.rdma.verbs.CmIdentifier;
import io.rdma.verbs.ConnectionParameters;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Peer of {@code udaddy(1)} and {@code mckey(1)} of rdmacm-utils, in both directions. It starts these utilities itself:
 *
 * <pre>
 * RdmacmUtils DEVICE OWN_ADDRESS PEER_ADDRESS udaddy|mckey[,…] [PREFIX…]
 * </pre>
 *
 * <p>PREFIX is put before the commands of the utilities, to run them in another network namespace. The program prints a
 * line for each run that begins with "ok" or "FAILED"; the caller counts these lines. The exit status is 0 if all runs
 * passed.
 */
final class RdmacmUtils {
    private static final Duration RESOLVE = Duration.ofSeconds(2);
    private static final int PORT = 7174; // the only port that udaddy uses
    private static final int COUNT = 20;
    private static final int BYTES = 1000;
    private static final int UDP_QKEY = 0x01234567;

    private final CmEventChannel channel;
    private final String own;
    private final String peer;
    private final List<String> prefix;

    private RdmacmUtils(CmEventChannel channel, String own, String peer, List<String> prefix) {
        this.channel = channel;
        this.own = own;
        this.peer = peer;
        this.prefix = prefix;
    }

    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs all, and returns the exit status. */
    static int run(String[] args) {
        List<String> wanted = List.of(args[3].split(","));
        List<String> prefix = Arrays.asList(args).subList(4, args.length);
        boolean right = true;
        try (CmEventChannel channel = RdmaDevices.named(args[0]).createEventChannel()) {
            RdmacmUtils utils = new RdmacmUtils(channel, args[1], args[2], prefix);
            if (wanted.contains("udaddy")) {
                right &= report("udaddy to our server on " + args[0], utils::serve);
                right &= report("our client on " + args[0] + " to udaddy", utils::requestUntilListening);
            }
            if (wanted.contains("mckey")) {
                right &= report("mckey to our group on " + args[0], utils::receiveFromGroup);
                right &= report("our group on " + args[0] + " to mckey", utils::sendToGroup);
            }
        }
        return right ? 0 : 1;
    }

    private static boolean report(String name, Run run) {
        return Run.report(name + ", " + COUNT + " x " + BYTES + " bytes", run);
    }

    private Utility start(String... command) throws IOException {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("-C", Integer.toString(COUNT), "-S", Integer.toString(BYTES), "-b", peer));
        return new Utility(prefix, all);
    }

    private CmEvent next() {
        check(channel.await((int) Utility.PATIENCE.toMillis()), "an event in time");
        return Objects.requireNonNull(channel.take());
    }

    private CmEvent next(CmEventType type) {
        CmEvent event = next();
        check(event.type() == type, event + " instead of " + type);
        return event;
    }

    /** Runs the server; udaddy is the client. */
    private void serve() throws IOException, InterruptedException {
        try (CmIdentifier listener = channel.createIdentifier(PortSpace.UDP)) {
            listener.bind(new InetSocketAddress(own, PORT));
            listener.listen(1);
            try (Utility client = start("udaddy", "-s", own);
                    CmIdentifier server = next(CmEventType.CONNECT_REQUEST).identifier();
                    DatagramEnd end = new DatagramEnd(server, COUNT, BYTES)) {
                end.postReceives();
                server.accept(ConnectionParameters.DEFAULT);
                end.receive();
                DatagramEnd.Sender sender = end.sender();
                end.send(sender.path(), sender.qpNumber(), UDP_QKEY);
                client.expectSuccess();
            }
        }
    }

    /** Runs the client; udaddy is the server. Repeats the request until udaddy listens. */
    private void requestUntilListening() throws IOException, InterruptedException {
        try (Utility server = start("udaddy")) {
            long deadline = System.nanoTime() + Utility.PATIENCE.toNanos();
            while (!requestOnce()) {
                server.awaitNextAttempt(deadline);
            }
            server.expectSuccess();
        }
    }

    /** Returns false if udaddy does not listen yet. */
    private boolean requestOnce() {
        try (CmIdentifier client = channel.createIdentifier(PortSpace.UDP)) {
            client.resolveAddress(new InetSocketAddress(own, 0), new InetSocketAddress(peer, PORT), RESOLVE);
            next(CmEventType.ADDR_RESOLVED);
            client.resolveRoute(RESOLVE);
            next(CmEventType.ROUTE_RESOLVED);
            try (DatagramEnd end = new DatagramEnd(client, COUNT, BYTES)) {
                end.postReceives();
                client.connect(ConnectionParameters.DEFAULT);
                CmEvent found = next();
                if (found.type() == CmEventType.UNREACHABLE) {
                    return false;
                }
                check(found.type() == CmEventType.ESTABLISHED, found.toString());
                end.send(
                        Objects.requireNonNull(found.destination()),
                        found.parameters().queuePairNumber(),
                        found.qkey());
                end.receive();
                return true;
            }
        }
    }

    private CmEvent joined(CmIdentifier identifier, InetSocketAddress group) {
        identifier.joinMulticast(group, false);
        return next(CmEventType.MULTICAST_JOIN);
    }

    private CmIdentifier bound() {
        CmIdentifier made = channel.createIdentifier(PortSpace.UDP);
        made.bind(new InetSocketAddress(own, 0));
        return made;
    }

    /** Receives from a group; mckey sends. */
    private void receiveFromGroup() throws IOException, InterruptedException {
        InetSocketAddress group = new InetSocketAddress("239.77.77.1", 0);
        try (CmIdentifier member = bound();
                DatagramEnd end = new DatagramEnd(member, COUNT, BYTES)) {
            end.postReceives();
            joined(member, group);
            try (Utility sender = start("mckey", "-s", "-m", "239.77.77.1")) {
                end.receive();
                sender.expectSuccess();
            }
            member.leaveMulticast(group);
        }
    }

    /** Sends to a group; mckey receives. Repeats all messages until mckey has received enough of them and ends. */
    private void sendToGroup() throws IOException, InterruptedException {
        InetSocketAddress group = new InetSocketAddress("239.77.77.2", 0);
        try (CmIdentifier member = bound();
                DatagramEnd end = new DatagramEnd(member, COUNT, BYTES);
                Utility receiver = start("mckey", "-m", "239.77.77.2")) {
            CmEvent joined = joined(member, group);
            long deadline = System.nanoTime() + Utility.PATIENCE.toNanos();
            do {
                check(System.nanoTime() - deadline < 0, "mckey heard in time");
                end.send(
                        Objects.requireNonNull(joined.destination()),
                        joined.parameters().queuePairNumber(),
                        joined.qkey());
            } while (!receiver.ended(Utility.REPEAT_MILLIS));
            receiver.expectSuccess();
            member.leaveMulticast(group);
        }
    }
}
