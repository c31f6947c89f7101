package io.rdma.samples.bench;

import io.rdma.engine.IdleStrategy;
import io.rdma.samples.bench.exchange.OtherJvm;
import io.rdma.samples.bench.exchange.VerbsClient;
import io.rdma.samples.bench.exchange.VerbsServer;
import io.rdma.samples.support.ChildJvm;
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
        description = "Operations with Reactor in two JVMs compared with perftest's programs, on the same device.")
final class VerbsBench implements Callable<Integer> {
    @Mixin
    private BenchOptions options = new BenchOptions();

    @Option(names = "--device", defaultValue = "rxe0", description = "Default: ${DEFAULT-VALUE}.")
    private String device = "rxe0";

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "Address of this machine, which both ends use; default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(
            names = "--idle",
            defaultValue = "ADAPTIVE",
            description =
                    "Idle strategy of the loops of this library, ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.")
    private IdleStrategy idle = IdleStrategy.ADAPTIVE;

    @Option(names = "--gid-idx", defaultValue = "1", description = "For perftest; default: ${DEFAULT-VALUE}.")
    private int gidIndex;

    @Option(
            names = "--events",
            description =
                    "perftest sleeps until something completes, instead of polling; always on a single processor.")
    private boolean events;

    @Option(names = "--no-perftest", description = "Do not run perftest, which does not support soft0.")
    private boolean alone;

    @Option(
            names = "--count",
            defaultValue = "1000",
            description = "Operations of each measurement; a sixteenth for writes of 1 MiB; default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            defaultValue = "",
            description = "Run only the operations whose name matches.")
    private Pattern only = Pattern.compile("");

    @Override
    public Integer call() throws Exception {
        Perftest perftest = alone
                ? null
                : new Perftest(
                        device, host, gidIndex, events || Runtime.getRuntime().availableProcessors() == 1);
        Results results = new Results("verbs");
        List<VerbsPair> pairs = VerbsPair.all(options.quick() ? 50 : count).stream()
                .filter(pair -> only.matcher(pair.name()).find())
                .toList();
        ProcessBuilder server = ChildJvm.of(List.of("-Xmx512m"), VerbsServer.class, List.of(device, idle.name(), host));
        try (OtherJvm other = OtherJvm.start(server);
                VerbsClient client = new VerbsClient(device, idle, host, other.port("verbs"))) {
            for (int round = options.quick() ? 1 : 0; round <= options.rounds(); round++) { // round 0 warms up
                System.out.println("round " + round + " of " + options.rounds());
                round(round == 0 ? new Results("warm-up") : results, client, round == 0 ? null : perftest, pairs);
            }
        }
        pairs.forEach(pair -> results.compare(pair.name(), pair.base(), pair.bar()));
        options.finish(results);
        return 0;
    }

    private static void round(Results into, VerbsClient client, @Nullable Perftest perftest, List<VerbsPair> pairs)
            throws Exception {
        for (VerbsPair pair : pairs) {
            into.add(pair.name(), pair.unit(), pair.ours().of(client));
            if (perftest != null) {
                into.add(pair.base(), pair.unit(), pair.theirs().of(perftest));
            }
        }
    }
}
