package io.rdma.interop;

import static io.rdma.interop.Side.check;

import io.rdma.types.CmEventType;
import io.rdma.types.Errno;
import io.rdma.types.PortSpace;
import io.rdma.types.VerbsException;
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
 * Peer of perftest's programs with {@code -R}, which connect by RDMA CM, in both directions. It starts these programs
 * itself:
 *
 * <pre>
 * Perftest DEVICE OWN_ADDRESS PEER_DEVICE PEER_ADDRESS PORT PROGRAM[,…] [PREFIX…]
 * </pre>
 *
 * <p>PROGRAM is {@code ib_send_lat}, {@code ib_write_lat}, {@code ib_read_lat} or {@code ib_send_bw}. The runs take a
 * port each, from PORT. PREFIX is put before the commands, to run them in another network namespace. Prints lines as
 * {@link Run#report} does.
 */
final class Perftest {
    private static final Duration RESOLVE = Duration.ofSeconds(2);
    private static final int COUNT = 20;
    private static final int CONTROL_RECEIVES = 2;
    private static final int BYTES = 4096;

    private final CmEventChannel channel;
    private final String own;
    private final String peerDevice;
    private final String peer;
    private final List<String> prefix;
    private final String program;
    private final int port;

    private Perftest(CmEventChannel channel, String[] args, String program, int port) {
        this.channel = channel;
        own = args[1];
        peerDevice = args[2];
        peer = args[3];
        prefix = Arrays.asList(args).subList(6, args.length);
        this.program = program;
        this.port = port;
    }

    public static void main(String[] args) {
        System.exit(run(args));
    }

    /** Runs all, and returns the exit status. */
    static int run(String[] args) {
        boolean right = true;
        int port = Integer.parseInt(args[4]);
        try (CmEventChannel channel = RdmaDevices.named(args[0]).createEventChannel()) {
            for (String program : args[5].split(",")) {
                String what = ", " + COUNT + " x " + BYTES + " bytes";
                Perftest serving = new Perftest(channel, args, program, port++);
                right &= Run.report(program + " -R to our server on " + args[0] + what, serving::serve);
                Perftest asking = new Perftest(channel, args, program, port++);
                right &= Run.report("our client on " + args[0] + " to " + program + " -R" + what, asking::request);
            }
        }
        return right ? 0 : 1;
    }

    private Utility start(String... server) throws IOException {
        List<String> command = new ArrayList<>(List.of(program, "-R", "-F", "-d", peerDevice));
        command.addAll(List.of("-n", Integer.toString(COUNT), "-s", Integer.toString(BYTES)));
        command.addAll(List.of("-p", Integer.toString(port)));
        command.addAll(List.of(server));
        return new Utility(prefix, command);
    }

    private CmEvent next() {
        check(channel.await((int) Utility.PATIENCE.toMillis()), "an event in time");
        return Objects.requireNonNull(channel.take());
    }

    /** Awaits the next event of an identifier. The events of the others do not matter. */
    private CmEvent next(CmIdentifier identifier) {
        CmEvent event = next();
        while (event.identifier() != identifier) {
            event = next();
        }
        return event;
    }

    private CmEvent next(CmIdentifier identifier, CmEventType type) {
        CmEvent event = next(identifier);
        check(event.type() == type, event + " instead of " + type);
        return event;
    }

    /** Awaits the next request of a connection. */
    private CmIdentifier requested() {
        CmEvent event = next();
        while (event.type() != CmEventType.CONNECT_REQUEST) {
            event = next();
        }
        return event.identifier();
    }

    /** Runs the server; perftest is the client, which ends when the server has disconnected as well. */
    private void serve() throws IOException, InterruptedException {
        try (CmIdentifier listener = channel.createIdentifier(PortSpace.TCP)) {
            listener.bind(new InetSocketAddress(own, port));
            listener.listen(2);
            try (Utility client = start(own);
                    CmIdentifier control = requested();
                    PerftestEnd controlEnd = new PerftestEnd(control, CONTROL_RECEIVES, PerftestDialog.BYTES)) {
                PerftestDialog dialog = new PerftestDialog(controlEnd, false);
                controlEnd.postReceives(1);
                control.accept(ConnectionParameters.DEFAULT);
                dialog.agree();
                dialog.exchange(PerftestDialog.Keys.NONE);
                try (CmIdentifier server = requested();
                        PerftestEnd end = new PerftestEnd(server, COUNT, BYTES)) {
                    server.accept(ConnectionParameters.DEFAULT);
                    run(dialog, end, false);
                    next(server, CmEventType.ESTABLISHED);
                    next(server, CmEventType.DISCONNECTED);
                    server.disconnect();
                    client.expectSuccess();
                }
            }
        }
    }

    /** Runs the client; perftest is the server, which begins to listen again behind the first exchange of keys. */
    private void request() throws IOException, InterruptedException {
        try (Utility server = start()) {
            connected(server, CONTROL_RECEIVES, PerftestDialog.BYTES, controlEnd -> {
                PerftestDialog dialog = new PerftestDialog(controlEnd, true);
                dialog.agree();
                dialog.exchange(PerftestDialog.Keys.NONE);
                connected(server, COUNT, BYTES, end -> run(dialog, end, true));
            });
            server.expectSuccess();
        }
    }

    /** Part of a run that has a connection. */
    private interface Part {
        void run(PerftestEnd end) throws IOException, InterruptedException;
    }

    /** Connects, and repeats that until perftest listens. */
    private void connected(Utility server, int receives, int bytes, Part part)
            throws IOException, InterruptedException {
        long deadline = System.nanoTime() + Utility.PATIENCE.toNanos();
        while (!tryConnect(receives, bytes, part)) {
            server.awaitNextAttempt(deadline);
        }
    }

    /** Returns false if perftest does not listen yet. */
    private boolean tryConnect(int receives, int bytes, Part part) throws IOException, InterruptedException {
        try (CmIdentifier client = channel.createIdentifier(PortSpace.TCP)) {
            client.resolveAddress(new InetSocketAddress(own, 0), new InetSocketAddress(peer, port), RESOLVE);
            next(client, CmEventType.ADDR_RESOLVED);
            client.resolveRoute(RESOLVE);
            next(client, CmEventType.ROUTE_RESOLVED);
            try (PerftestEnd end = new PerftestEnd(client, receives, bytes)) {
                if (bytes == PerftestDialog.BYTES) {
                    end.postReceives(1);
                }
                if (!isAccepted(client)) {
                    return false;
                }
                part.run(end);
                return true;
            }
        }
    }

    /** Connects. With iWARP the call itself may fail, as connect(2) does. */
    private boolean isAccepted(CmIdentifier client) {
        try {
            client.connect(ConnectionParameters.DEFAULT);
        } catch (VerbsException e) {
            if (e.errno() == Errno.ECONNREFUSED) {
                return false;
            }
            throw e;
        }
        CmEvent answer = next(client);
        check(answer.type() == CmEventType.ESTABLISHED || answer.type() == CmEventType.REJECTED, answer.toString());
        return answer.type() == CmEventType.ESTABLISHED;
    }

    /** Runs the program's part behind the connecting, which has the same steps in all programs. */
    private void run(PerftestDialog dialog, PerftestEnd end, boolean client) {
        dialog.exchange(PerftestDialog.Keys.NONE);
        PerftestDialog.Keys theirs = dialog.exchange(end.keys());
        dialog.exchange(end.keys());
        dialog.exchange(end.keys());
        if (program.startsWith("ib_send")) {
            end.postReceives(COUNT);
        }
        dialog.exchange(end.keys());
        transfer(end, theirs, client);
        if (!program.equals("ib_write_lat")) {
            dialog.exchange(end.keys());
        }
    }

    private void transfer(PerftestEnd end, PerftestDialog.Keys theirs, boolean client) {
        for (int i = 1; i <= COUNT; i++) {
            switch (program) {
                case "ib_send_lat" -> { // the client begins
                    if (client) {
                        end.send(new byte[BYTES]);
                    }
                    end.receive(i, BYTES);
                    if (!client) {
                        end.send(new byte[BYTES]);
                    }
                }
                case "ib_write_lat" -> { // the server begins
                    if (!client) {
                        end.write(theirs, i);
                    }
                    end.awaitWrite(i);
                    if (client) {
                        end.write(theirs, i);
                    }
                }
                case "ib_send_bw" -> {
                    if (client) {
                        end.send(new byte[BYTES]);
                    } else {
                        end.receive(i, BYTES);
                    }
                }
                case "ib_read_lat" -> {
                    if (client) {
                        end.read(theirs);
                    }
                }
                default -> throw new IllegalArgumentException("unknown program " + program);
            }
        }
    }
}
