package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.HttpLoad;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A comparison of HTTP over RDMA with HTTP over TCP. */
@Command(
        name = "http",
        mixinStandardHelpOptions = true,
        description = "HTTP/1.1 by Reactor Netty over RDMA, epoll TCP and NIO TCP, in two JVMs.")
final class HttpBench implements Callable<Integer> {
    /** As much as TCP. What the compilers remove differs by up to a hundredth from start to start. */
    private static final Bar SAME_ALLOCATION = Bar.atMost(1.01);

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Mixin
    private TransportOptions ends = new TransportOptions();

    @Override
    public Integer call() throws Exception {
        options.finish(new TransportRun(Protocol.HTTP, options, ends).measure());
        return 0;
    }

    /** Returns the requests that are measured. */
    static List<TransportRequest> requests() {
        List<TransportRequest> requests = new ArrayList<>();
        for (boolean small : new boolean[] {true, false}) {
            for (int connections : List.of(1, 16, 64)) {
                int size = small ? 64 : 65_536;
                String name = "GET " + (small ? "64 B" : "64 KiB") + ", " + connections
                        + (connections == 1 ? " connection" : " connections");
                TransportRequest.Connect connect =
                        (clients, host, port) -> new HttpLoad(clients, host, port, connections, size);
                requests.add(new TransportRequest(name, connections, null, connect, bars(small, connections)));
            }
        }
        return requests;
    }

    private static Map<String, Bar> bars(boolean small, int connections) {
        Map<String, Bar> bars = new HashMap<>(Map.of(TransportRun.ALLOCATED, SAME_ALLOCATION));
        if (small && connections == 1) {
            bars.put(TransportRun.P50, Bar.atMost(0.5));
        }
        if (small && connections == 64) {
            bars.put(TransportRun.RATE, Bar.atLeast(1));
        }
        return bars;
    }
}
