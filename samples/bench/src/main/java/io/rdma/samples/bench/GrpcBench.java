package io.rdma.samples.bench;

import io.rdma.samples.bench.transport.GrpcLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A comparison of gRPC over RDMA with gRPC over TCP. */
@Command(
        name = "grpc",
        mixinStandardHelpOptions = true,
        description = "gRPC over RDMA, epoll TCP and NIO TCP, in two JVMs: calls over one connection, and a stream.")
final class GrpcBench implements Callable<Integer> {
    private static final int SMALL = 64;
    private static final int STREAMED = 100;
    private static final int LARGE = 65_536;

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Mixin
    private TransportOptions ends = new TransportOptions();

    @Override
    public Integer call() throws Exception {
        options.finish(new TransportRun(Protocol.GRPC, options, ends).measure());
        return 0;
    }

    /** Returns the requests that are measured. */
    static List<TransportRequest> requests() {
        List<TransportRequest> requests = new ArrayList<>();
        for (int calls : List.of(1, 16, 64)) {
            String name = "unary 64 B, " + calls + (calls == 1 ? " call" : " calls");
            TransportRequest.Connect connect = (clients, host, port) -> GrpcLoad.unary(clients, host, port, SMALL);
            requests.add(new TransportRequest(name, calls, null, connect, Map.of()));
        }
        TransportRequest.Connect connect =
                (clients, host, port) -> GrpcLoad.stream(clients, host, port, STREAMED, LARGE);
        TransportRequest.Stream stream = new TransportRequest.Stream(STREAMED, LARGE);
        requests.add(new TransportRequest("stream of 64 KiB", 1, stream, connect, Map.of()));
        return requests;
    }
}
