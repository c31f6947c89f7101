package io.rdma.samples.bench;

import io.rdma.samples.bench.exchange.OtherJvm;
import io.rdma.samples.bench.transport.Allocated;
import io.rdma.samples.bench.transport.Clients;
import io.rdma.samples.bench.transport.EndOptions;
import io.rdma.samples.bench.transport.Load;
import io.rdma.samples.bench.transport.Repeated;
import io.rdma.samples.bench.transport.Transport;
import io.rdma.samples.support.ChildJvm;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

// How it works: the benchmark writes a line for each measurement, with the index of the request and the nanoseconds.
// This program answers with a line for each figure, its name, unit and value between tabs, and a last line.

/** Clients of one protocol on one transport, in a JVM of their own. They start the JVM of their server. */
public final class TransportClients {
    /** Last line of an answer. */
    static final String DONE = "done";

    private static final double SECOND = 1e9;

    private final List<TransportRequest> requests;
    private final Clients clients;
    private final String host;
    private final OtherJvm server;

    private TransportClients(List<TransportRequest> requests, Clients clients, String host, OtherJvm server) {
        this.requests = requests;
        this.clients = clients;
        this.host = host;
        this.server = server;
    }

    /**
     * Runs the clients until the benchmark ends.
     *
     * @param arguments name of the {@link Protocol}, and those of its server
     */
    public static void main(String[] arguments) {
        int status = 1; // an exit, because threads of a transport may go on
        try {
            run(arguments);
            status = 0;
        } catch (Exception e) {
            e.printStackTrace();
        } finally {
            System.exit(status);
        }
    }

    private static void run(String[] arguments) throws Exception {
        Protocol protocol = Protocol.valueOf(arguments[0]);
        List<String> ofServer = Arrays.asList(arguments).subList(1, arguments.length);
        Transport transport = Transport.valueOf(arguments[1]);
        EndOptions end = EndOptions.parse(arguments, 3);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        try (OtherJvm server = OtherJvm.start(ChildJvm.of(options(), protocol.server(), ofServer));
                Clients clients = Clients.of(transport, end)) {
            TransportClients program = new TransportClients(protocol.requests(), clients, arguments[2], server);
            String order;
            while ((order = orders.readLine()) != null) {
                int space = order.indexOf(' ');
                program.measure(
                        Integer.parseInt(order.substring(0, space)), Long.parseLong(order.substring(space + 1)));
            }
        }
    }

    /** Returns the options of both JVMs: those of the benchmark, and a bound for the heap. */
    static List<String> options() {
        List<String> options = new ArrayList<>(List.of("-Xmx1g"));
        options.addAll(ChildJvm.ownOptions());
        return options;
    }

    private void measure(int index, long nanos) throws Exception {
        TransportRequest request = requests.get(index);
        try (Load load = request.connect()
                .to(clients, host, server.port(clients.transport().name()))) {
            new Repeated(load, request.atOnce()).run(nanos / 5); // connects, and the first requests are the slowest
            Repeated repeated = new Repeated(load, request.atOnce());
            long allocatedBefore = Allocated.bytes() + load.allocatedByServer();
            long busyBefore = Jvm.cpuNanos() + server.cpuNanos();
            long elapsed = repeated.run(nanos);
            long busy = Jvm.cpuNanos() + server.cpuNanos() - busyBefore;
            long allocated = Allocated.bytes() + load.allocatedByServer() - allocatedBefore;
            say(request, repeated, elapsed, busy / 1e3, allocated);
        }
    }

    private static void say(
            TransportRequest request, Repeated repeated, long elapsed, double busyMicros, double allocated) {
        double count = repeated.count();
        TransportRequest.@Nullable Stream stream = request.stream();
        if (stream != null) {
            say(TransportRun.RATE, stream.rateUnit(), stream.rate(count * SECOND / elapsed));
            say(TransportRun.PROCESSOR, stream.timeUnit(), stream.time(busyMicros / count));
        } else {
            say(TransportRun.P50, "us", repeated.times().getValueAtPercentile(50) / 1e3);
            say(TransportRun.P99, "us", repeated.times().getValueAtPercentile(99) / 1e3);
            say(TransportRun.RATE, "requests/s", count * SECOND / elapsed);
            say(TransportRun.ALLOCATED, "B", allocated / count);
            say(TransportRun.PROCESSOR, "us/request", busyMicros / count);
        }
        System.out.println(DONE);
    }

    private static void say(String figure, String unit, double value) {
        System.out.println(figure + "\t" + unit + "\t" + value);
    }
}
