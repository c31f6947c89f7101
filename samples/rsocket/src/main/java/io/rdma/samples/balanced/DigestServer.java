package io.rdma.samples.balanced;

import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.rsocket.RdmaCloseableServer;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rsocket.Payload;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketServer;
import io.rsocket.util.DefaultPayload;
import java.time.Duration;
import java.util.Objects;
import reactor.core.publisher.Mono;

/** One of the servers. It answers each question with its name and the digest. */
final class DigestServer {
    /** Text that it prints when it listens, followed by its port. */
    static final String READY = "digests on port ";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /**
     * Limit of a question that RSocket reassembles from fragments. It is the smallest value that RSocket accepts: its
     * largest frame.
     */
    private static final int MAX_QUESTION = 1 << 24;

    private DigestServer() {}

    /** Serves until the process ends. */
    static void run(String name, String device, String host, int port) {
        RdmaCloseableServer server = Objects.requireNonNull(
                RSocketServer.create(SocketAcceptor.forRequestResponse(question -> answer(name, question)))
                        .maxInboundPayloadSize(MAX_QUESTION)
                        .bind(RdmaServerTransport.create(
                                RdmaServer.create().device(device).host(host).port(port)))
                        .block(PATIENCE));
        System.out.println(READY + server.address().getPort());
        server.onClose().block();
    }

    private static Mono<Payload> answer(String name, Payload question) {
        String number = question.getDataUtf8();
        question.release();
        return Mono.just(DefaultPayload.create(Digests.of(number), name));
    }
}
