package io.rdma.samples.bench.transport;

import io.rdma.samples.bench.exchange.OtherJvm;
import java.io.IOException;

/** Servers of one protocol on all transports, in a JVM of their own. */
final class TransportServers {
    private TransportServers() {}

    /** A way to start a server, which listens as long as the process lives. */
    @FunctionalInterface
    interface Start {
        /** Returns the port of the started server. */
        int server(Transport transport, String host, EndOptions end) throws IOException;
    }

    /**
     * Runs the servers. {@link OtherJvm#port} finds each by the name of its transport.
     *
     * @param arguments address to listen on, and those of {@link EndOptions}
     * @throws IOException if a server cannot listen, or if the parent process cannot be watched
     */
    static void run(String[] arguments, Start start) throws IOException {
        EndOptions end = EndOptions.parse(arguments, 1);
        for (Transport transport : Transport.present()) {
            OtherJvm.listening(transport.name(), start.server(transport, arguments[0], end));
        }
        OtherJvm.untilTheEnd();
    }
}
