package io.rdma.reactive;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** Program that sends one message over the software device. */
final class FirstMessage {
    static final String COMPLETED = "the first message is completed";

    private FirstMessage() {}

    public static void main(String[] args) {
        Duration patience = Duration.ofSeconds(60);
        DisposableServer server = RdmaServer.create()
                .device("soft0")
                .host("127.0.0.1")
                .handle(connection ->
                        connection.receive(message -> message.length()).then(Mono.empty()))
                .bindNow(patience);
        RdmaConnection connection = RdmaClient.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(server.port())
                .connectNow(patience);
        connection
                .send(Long.BYTES, target -> target.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, 1))
                .block(patience);
        System.out.println(COMPLETED);
        connection.disposeNow(patience);
        server.disposeNow(patience);
    }
}
