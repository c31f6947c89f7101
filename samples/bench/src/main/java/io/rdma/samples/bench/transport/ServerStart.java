package io.rdma.samples.bench.transport;

import io.rdma.samples.bench.exchange.OtherJvm;
import java.io.IOException;

/** Start of a server of one protocol on one transport, in a JVM of its own. */
final class ServerStart {
    private ServerStart() {}

    /** A way to start a server, which listens as long as the process lives. */
    @FunctionalInterface
    interface Start {
        /** Returns the port of the started server. */
        int server(Transport transport, String host, EndOptions end) throws IOException;
    }

    /**
     * Runs the server. {@link OtherJvm#port} finds it by the name of its transport.
     *
     * @param arguments name of the transport, address to listen on, and those of {@link EndOptions}
     * @throws IOException if the server cannot listen, or if the parent process cannot be watched
     */
    static void run(String[] arguments, Start start) throws IOException {
        Transport transport = Transport.valueOf(arguments[0]);
        EndOptions end = EndOptions.parse(arguments, 2);
        OtherJvm.listening(transport.name(), start.server(transport, arguments[1], end));
        OtherJvm.untilTheEnd();
    }
}
