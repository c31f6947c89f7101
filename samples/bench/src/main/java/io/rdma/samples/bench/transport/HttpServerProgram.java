package io.rdma.samples.bench.transport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** HTTP server on one transport, in a JVM of its own. It answers with as many bytes as the path says. */
public final class HttpServerProgram {
    /** Path at which a server says how much its JVM has allocated. */
    static final String ALLOCATED = "/allocated";

    private static final Duration PATIENCE = Duration.ofMinutes(5); // long enough for an emulated machine
    private static final int MOST = 1 << 20;
    private static final byte[] BODY = new byte[MOST];

    private HttpServerProgram() {}

    /**
     * Runs the server.
     *
     * @param arguments name of the transport, address to listen on, and those of {@link EndOptions}
     * @throws IOException if the parent process cannot be watched
     */
    public static void main(String[] arguments) throws IOException {
        ServerStart.run(arguments, HttpServerProgram::serve);
    }

    private static int serve(Transport transport, String host, EndOptions end) {
        HttpServer server = HttpServer.create()
                .runOn(transport.loops(end), transport.isNative())
                .host(host)
                .port(0)
                .handle(HttpServerProgram::answer);
        for (var option : transport.options(end).entrySet()) {
            server = server.option(option.getKey(), option.getValue());
        }
        return server.bindNow(PATIENCE).port();
    }

    private static Publisher<Void> answer(HttpServerRequest request, HttpServerResponse response) {
        String path = request.uri();
        if (path.equals(ALLOCATED)) {
            byte[] text = Long.toString(Allocated.bytes()).getBytes(StandardCharsets.US_ASCII);
            return response.sendByteArray(Mono.just(text));
        }
        int size = Integer.parseInt(path.substring(1));
        return response.send(
                Mono.fromSupplier(() -> response.alloc().buffer(size).writeBytes(BODY, 0, size)));
    }
}
