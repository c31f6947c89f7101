package io.rdma.samples.bench;

import io.rdma.engine.IdleStrategy;
import io.rdma.samples.bench.exchange.OtherJvm;
import io.rdma.samples.bench.exchange.VerbsClient;
import io.rdma.samples.bench.exchange.VerbsServer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A comparison with perftest on a real verbs device. */
@Command(
        name = "verbs",
        mixinStandardHelpOptions = true,
        description = "Operations with Reactor in two JVMs beside perftest's programs, on the same device.")
final class VerbsBench implements Callable<Integer> {
    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--device", defaultValue = "rxe0", description = "Default: ${DEFAULT-VALUE}.")
    private String device = "rxe0";

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "This machine's address by which both ends find each other; default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(
            names = "--idle",
            defaultValue = "ADAPTIVE",
            description =
                    "What our loops do when nothing completes, ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private IdleStrategy idle = IdleStrategy.ADAPTIVE;

    @Option(names = "--gid-idx", defaultValue = "1", description = "For perftest; default: ${DEFAULT-VALUE}.")
    private int gidIndex;

    @Option(
            names = "--events",
            description =
                    "perftest sleeps until something completes, instead of polling; always on a single processor.")
    private boolean events;

    @Option(names = "--no-perftest", description = "Without perftest, which soft0 does not have.")
    private boolean alone;

    @Option(
            names = "--count",
            defaultValue = "1000",
            description = "Operations of a latency; of a bandwidth, 64 KiB each; default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(names = "--only", paramLabel = "REGEX", defaultValue = "", description = "Only what has such a name.")
    private Pattern only = Pattern.compile("");

    @Override
    public Integer call() throws Exception {
        Perftest theirs = alone
                ? null
                : new Perftest(
                        device, host, gidIndex, events || Runtime.getRuntime().availableProcessors() == 1);
        Results results = new Results("verbs");
        List<VerbsPair> pairs = VerbsPair.all(options.quick() ? 50 : count).stream()
                .filter(pair -> only.matcher(pair.name()).find())
                .toList();
        List<String> command = Jvm.command("-Xmx512m");
        command.addAll(List.of(VerbsServer.class.getName(), device, idle.name(), host));
        try (OtherJvm other = OtherJvm.start(command);
                VerbsClient ours = new VerbsClient(device, idle, host, other.port("verbs"))) {
            for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                System.out.println("round " + round + " of " + options.rounds());
                round(round == 0 ? new Results("warm-up") : results, ours, round == 0 ? null : theirs, pairs);
            }
        }
        pairs.forEach(pair -> results.compare(pair.name(), pair.base(), pair.bar()));
        options.finish(results);
        return 0;
    }

    private static void round(Results into, VerbsClient ours, @Nullable Perftest theirs, List<VerbsPair> pairs)
            throws Exception {
        for (VerbsPair pair : pairs) {
            into.add(pair.name(), pair.unit(), pair.ours().of(ours));
            if (theirs != null) {
                into.add(pair.base(), pair.unit(), pair.theirs().of(theirs));
            }
        }
    }
}
