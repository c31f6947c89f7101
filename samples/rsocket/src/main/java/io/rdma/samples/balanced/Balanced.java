package io.rdma.samples.balanced;

import io.rdma.engine.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.samples.ServerProcess;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.time.Duration;
import reactor.core.publisher.Flux;

/**
 * A client balanced over servers in processes of their own, of which one is killed. {@code server NAME DEVICE HOST PORT} is a server alone, {@code client DEVICE NAME PORT} a client of
 * all addresses that a name has.
 */
final class Balanced {
    /** With this as first argument a server ends with its standard input, and so with who started it. */
    static final String TIED = "tied-server";

    private Balanced() {}

    public static void main(String[] args) throws IOException {
        switch (args.length == 0 ? "" : args[0]) {
            case "server" -> DigestServer.run(args[1], args[2], args[3], Integer.parseInt(args[4]));
            case "client" -> ask(args[1], args[2], Integer.parseInt(args[3]));
            case TIED -> {
                ServerProcess.endWithStandardInput();
                DigestServer.run(args[1], args[2], args[3], 0);
            }
            default -> System.exit(new Demonstration(args.length == 0 ? "soft0" : args[0], System.out).run() ? 0 : 1);
        }
    }

    /** Until it is stopped. */
    private static void ask(String device, String name, int port) {
        try (RdmaResources resources = new RdmaResources(RdmaDevices.named(device))) {
            DigestClient client =
                    new DigestClient(Names.targets(RdmaClient.create().resources(resources), name, port));
            Load load = new Load(client);
            Flux.interval(Duration.ofSeconds(1))
                    .doOnNext(second -> System.out.println(client + "   wrong " + load.wrong()))
                    .blockLast();
        }
    }
}
