package io.rdma.samples.balanced;

import io.rdma.connect.AddressSupplier;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.samples.support.ParentProcess;
import io.rdma.verbs.RdmaDevices;
import java.io.IOException;
import java.time.Duration;
import reactor.core.publisher.Flux;

/**
 * A client that is balanced over servers in processes of their own, of which one is killed.
 * {@code server NAME DEVICE HOST PORT} runs only a server. {@code client DEVICE NAME PORT} runs only a client, of all
 * addresses of a DNS name.
 */
final class Balanced {
    /** First argument of a server that ends with its standard input, and so with its parent process. */
    static final String TIED = "tied-server";

    private static final String USAGE = """
            Balanced [DEVICE]                        servers and a client, of which one server is killed
            Balanced server NAME DEVICE HOST PORT    a server alone
            Balanced client DEVICE NAME PORT         a client of all addresses that a name has\
            """;

    private Balanced() {}

    public static void main(String[] args) throws IOException {
        if (!understood(args)) {
            System.err.println("usage:\n" + USAGE);
            System.exit(2);
        }
        switch (args.length == 0 ? "" : args[0]) {
            case "server" -> DigestServer.run(args[1], args[2], args[3], Integer.parseInt(args[4]));
            case "client" -> ask(args[1], args[2], Integer.parseInt(args[3]));
            case TIED -> {
                ParentProcess.endWithIt();
                DigestServer.run(args[1], args[2], args[3], 0);
            }
            default -> System.exit(new Demonstration(args.length == 0 ? "soft0" : args[0], System.out).run() ? 0 : 1);
        }
    }

    private static boolean understood(String[] args) {
        return switch (args.length == 0 ? "" : args[0]) {
            case "server" -> args.length == 5 && isPort(args[4]);
            case "client" -> args.length == 4 && isPort(args[3]);
            case TIED -> args.length == 4;
            default -> args.length == 0 || args.length == 1 && !args[0].startsWith("-");
        };
    }

    private static boolean isPort(String text) {
        return text.matches("\\d{1,5}") && Integer.parseInt(text) <= 65_535;
    }

    /** Asks questions until the process is stopped. */
    private static void ask(String device, String name, int port) {
        try (RdmaResources resources = RdmaResources.open(RdmaDevices.named(device))) {
            DigestClient client =
                    new DigestClient(RdmaClient.create().resources(resources), AddressSupplier.dns(name, port));
            Load load = new Load(client);
            Flux.interval(Duration.ofSeconds(1))
                    .doOnNext(second -> System.out.println(client + "   wrong " + load.wrong()))
                    .blockLast();
        }
    }
}
