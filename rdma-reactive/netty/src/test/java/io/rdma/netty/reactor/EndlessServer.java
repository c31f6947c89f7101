package io.rdma.netty.reactor;

import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.netty.RdmaChannelOption;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.testing.JavaProcess;
import io.rdma.testing.TestDevice;
import java.io.IOException;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** Process that answers each request of HTTP/1.1 with a body without end, until it is killed. */
final class EndlessServer {
    private EndlessServer() {}

    /** Starts the process, which prints {@code listening}, a blank and its port. */
    static JavaProcess start(String device, ConnectMethod method, String host) throws IOException {
        return new JavaProcess(EndlessServer.class, device, method.name(), host);
    }

    /** Returns the options of either end. A peer that is gone is noticed within seconds. */
    static ConnectionOptions options(ConnectMethod method) {
        return ConnectionOptions.DEFAULT
                .withConnectMethod(method)
                .withHandshakeTimeout(LoopsContract.BOUND)
                .withProbeInterval(Duration.ofSeconds(1));
    }

    /** Runs the server. Arguments: device, connect method, host. */
    public static void main(String[] args) {
        RdmaIoOptions device = RdmaIoOptions.DEFAULT.withDevice(TestDevice.assumed(args[0]));
        DisposableServer server = HttpServer.create()
                .runOn(RdmaLoopResources.create("endless", 1, true, device))
                .option(RdmaChannelOption.CONNECTION_OPTIONS, options(ConnectMethod.valueOf(args[1])))
                .host(args[2])
                .port(0)
                .handle((request, response) -> {
                    switch (request.uri()) {
                        case "/known" -> response.header("content-length", Long.toString(1L << 40));
                        case "/until-closed" -> response.chunkedTransfer(false).keepAlive(false);
                        default -> {} // chunked
                    }
                    return response.sendByteArray(endless());
                })
                .bindNow();
        System.out.println("listening " + server.port());
        server.onDispose().block();
    }

    private static Flux<byte[]> endless() {
        return Flux.generate(sink -> sink.next(new byte[1000]));
    }
}
