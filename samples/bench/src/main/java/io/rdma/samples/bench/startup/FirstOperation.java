package io.rdma.samples.bench.startup;

import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** A program that opens the software device twice, connects, and transfers one message. */
public final class FirstOperation {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private FirstOperation() {}

    /**
     * Reports the end of the program when the message is completed.
     *
     * @param args none
     */
    public static void main(String[] args) {
        DisposableServer server = RdmaServer.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(0)
                .handle(connection ->
                        connection.receive(message -> message.length()).then(Mono.empty()))
                .bindNow(PATIENCE);
        RdmaConnection connection = RdmaClient.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(server.port())
                .connectNow(PATIENCE);
        connection
                .send(Long.BYTES, target -> target.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 1))
                .block(PATIENCE);
        Started.say();
        connection.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
    }
}
