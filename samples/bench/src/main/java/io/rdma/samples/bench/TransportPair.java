package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.Transport;
import io.rdma.samples.support.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** The two JVMs of one transport, seen from the benchmark. They end with it. */
final class TransportPair implements AutoCloseable {
    private final Process clients;
    private final BufferedReader answers;
    private final PrintWriter orders;

    /**
     * Starts the JVMs. They have the memory, the collector and the compilers of this one.
     *
     * @throws IOException if they do not start
     */
    TransportPair(Protocol protocol, Transport transport, TransportOptions ends) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(protocol.name()));
        arguments.addAll(ends.arguments(transport));
        clients = ChildJvm.of(TransportClients.options(), TransportClients.class, arguments)
                .start();
        answers = clients.inputReader();
        orders = new PrintWriter(clients.outputWriter(), true);
    }

    /**
     * Measures one kind of requests.
     *
     * @param request its index among those of the protocol
     * @param nanos time in which requests begin
     * @param into gets a value of each figure
     * @param prefix of the names of figures
     * @throws IOException if a request fails, or is not answered
     */
    void measure(int request, long nanos, Results into, String prefix) throws IOException {
        orders.println(request + " " + nanos);
        String line;
        while ((line = answers.readLine()) != null) {
            if (line.equals(TransportClients.DONE)) {
                return;
            }
            String[] figure = line.split("\t");
            into.add(prefix + figure[0], figure[1], Double.parseDouble(figure[2]));
        }
        throw new IOException("the clients of " + prefix + "ended");
    }

    @Override
    public void close() {
        orders.close();
        clients.destroy();
    }
}
