package io.rdma.samples.rping;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code rping(1)} of rdma-core on the typed verbs objects and RDMA CM. Either end can be the C program. */
@Command(
        name = "rping",
        mixinStandardHelpOptions = true,
        description =
                "RDMA CM ping-pong that talks to rdma-core's rping: the server reads the client's data and writes it back.")
public final class Rping {
    private Rping() {}

    @Command(name = "server", aliases = "-s", description = "Wait for a client.")
    int server(
            @Mixin RpingOptions options,
            @Option(names = "-P", description = "Persistent: serve any number of clients, until killed.")
                    boolean persistent)
            throws InterruptedException {
        options.check();
        return new RpingServer(options, persistent).run();
    }

    @Command(name = "client", aliases = "-c", description = "Connect to a server.")
    int client(@Mixin RpingOptions options) {
        options.check();
        return new RpingClient(options).run();
    }
}
