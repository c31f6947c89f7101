package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.RSocketLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A comparison of RSocket over RDMA with RSocket over TCP. */
@Command(
        name = "rsocket",
        mixinStandardHelpOptions = true,
        description =
                "RSocket over RDMA, epoll TCP and NIO TCP, in two JVMs: requests over one connection, and streams.")
final class RSocketBench implements Callable<Integer> {
    private static final int SMALL = 64;
    private static final Map<String, Bar> BARS = Map.of(TransportRun.RATE, Bar.atLeast(1.5));

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Mixin
    private TransportOptions ends = new TransportOptions();

    @Override
    public Integer call() throws Exception {
        options.finish(new TransportRun(Protocol.RSOCKET, options, ends).measure());
        return 0;
    }

    /** Returns the requests that are measured. */
    static List<TransportRequest> requests() {
        List<TransportRequest> requests = new ArrayList<>();
        for (int atOnce : List.of(1, 16)) {
            String name = "response 64 B, " + atOnce + (atOnce == 1 ? " request" : " requests");
            TransportRequest.Connect connect =
                    (clients, host, port) -> RSocketLoad.response(clients, host, port, SMALL);
            requests.add(new TransportRequest(name, atOnce, null, connect, BARS));
        }
        requests.add(stream("stream of 64 B", 10_000, SMALL));
        requests.add(stream("stream of 4 KiB", 1_000, 4_096));
        return requests;
    }

    private static TransportRequest stream(String name, int messages, int size) {
        TransportRequest.Connect connect =
                (clients, host, port) -> RSocketLoad.stream(clients, host, port, messages, size);
        return new TransportRequest(name, 1, new TransportRequest.Stream(messages, size), connect, BARS);
    }
}
