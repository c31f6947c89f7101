package io.rdma.samples.learn;

import io.rdma.samples.support.DeviceOption;
import io.rdma.types.VerbsException;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A measurement of a server's workers with a growing number of clients, for four ways of receiving: the resources that
 * each way needs, and its speed.
 */
@Command(
        name = "scaling",
        mixinStandardHelpOptions = true,
        description = "A server's workers with more and more clients, by RC with and without shared receives, XRC and"
                + " UD: queue pairs, memory, set-up, messages.")
final class Scaling implements Callable<Integer> {
    private static final int OWN_RECEIVES = 16; // for each client, which may send at any time
    private static final int SHARED_RECEIVES = 64; // for the clients that send at the same time

    @Mixin
    private DeviceOption device = new DeviceOption();

    @Mixin
    private Measuring measuring = new Measuring();

    @Option(names = "--max-peers", defaultValue = "64", description = "Maximum of clients; default: ${DEFAULT-VALUE}.")
    private int most = 64;

    @Option(
            names = "--workers",
            defaultValue = "4",
            description = "Workers, each with receives of its own for all clients; default: ${DEFAULT-VALUE}.")
    private int workers = 4;

    private enum Kind {
        OWN("own receives"),
        SHARED("shared receives"),
        EXTENDED("XRC"),
        DATAGRAMS("UD");

        private final String title;

        Kind(String title) {
            this.title = title;
        }
    }

    @Override
    public Integer call() {
        List<Kind> kinds = kinds();
        List<String> titles = kinds.stream().map(kind -> kind.title).toList();
        Table pairs = new Table("learn-scaling-queue-pairs", "peers", "queue pairs of the server", titles);
        Table memory = new Table("learn-scaling-memory", "peers", "KiB posted for receiving", titles);
        Table setUp = new Table("learn-scaling-set-up", "peers", "us for each peer", titles);
        Table rate = new Table("learn-scaling-messages", "peers", "thousand messages a second", titles);
        for (int peers = 1; peers <= most; peers *= 4) {
            double[][] measured = new double[4][kinds.size()];
            for (int i = 0; i < kinds.size(); i++) {
                double[] values = measure(kinds.get(i), peers);
                for (int j = 0; j < values.length; j++) {
                    measured[j][i] = values[j];
                }
            }
            pairs.row(peers, measured[0]);
            memory.row(peers, measured[1]);
            setUp.row(peers, measured[2]);
            rate.row(peers, measured[3]);
        }
        List.of(pairs, memory, setUp, rate).forEach(table -> table.finish(measuring.output));
        return 0;
    }

    /** Returns the ways of receiving that the device supports. */
    private List<Kind> kinds() {
        List<Kind> kinds = new ArrayList<>(List.of(Kind.values()));
        try (DeviceContext context = device.device().open()) {
            context.openXrcDomain().close();
        } catch (VerbsException e) {
            System.out.println("XRC is skipped: " + e.getMessage());
            kinds.remove(Kind.EXTENDED);
        }
        return kinds;
    }

    /**
     * Measures one way of receiving.
     *
     * @return queue pairs of the server, KiB of receives, microseconds to set a peer up, thousands of messages
     *     per second
     */
    private double[] measure(Kind kind, int peers) {
        try (DeviceContext context = device.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                ScalingRun run = run(kind, context, domain, peers)) {
            long start = System.nanoTime();
            for (int i = 0; i < peers; i++) {
                run.connect();
            }
            double setUp = (System.nanoTime() - start) / 1e3 / peers;
            int rounds = Math.max(1, measuring.count() / peers);
            run.round(0); // warms up
            start = System.nanoTime();
            long arrived = 0;
            for (int i = 0; i < rounds; i++) {
                arrived += run.round(i);
            }
            double rate = 1e6 * arrived / (System.nanoTime() - start);
            if (run.lost() > 0) {
                System.out.println(kind.title + ", " + peers + " peers: " + run.lost() + " messages were lost");
            }
            return new double[] {run.ours.size(), run.memory(), setUp, rate};
        }
    }

    private ScalingRun run(Kind kind, DeviceContext context, ProtectionDomain domain, int peers) {
        // Each peer has one message in flight. With fewer receives, a connection waits and a datagram is lost.
        int shared = Math.max(SHARED_RECEIVES, peers);
        return switch (kind) {
            case OWN -> new ConnectedRun(context, domain, peers, workers, OWN_RECEIVES, 0);
            case SHARED -> new ConnectedRun(context, domain, peers, workers, 0, shared);
            case EXTENDED -> new ExtendedRun(context, domain, peers, workers, shared);
            case DATAGRAMS -> new DatagramRun(context, domain, peers, workers, shared);
        };
    }
}
