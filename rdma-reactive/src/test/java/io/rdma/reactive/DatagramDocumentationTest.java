package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.verbs.DatagramAddress;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Snippet of docs/guide/datagrams.md. */
class DatagramDocumentationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void eachDatagramIsAnswered() {
        RdmaDatagramSocket here =
                RdmaDatagramSocket.create().device("soft0").host("127.0.0.1").bindNow();
        here.receiveOwned()
                .concatMap(question -> here.send(5, answer -> answer.setString(0, "pong"), question.source())
                        .doFinally(end -> question.close()))
                .subscribe();

        RdmaDatagramSocket client =
                RdmaDatagramSocket.create().device("soft0").host("127.0.0.1").bindNow();
        DatagramAddress service =
                client.resolve("127.0.0.1", here.localAddress().getPort()).block(PATIENCE);
        client.send(5, message -> message.setString(0, "ping"), service).block(PATIENCE);
        assertThat(client.receive(ReceivedMessage::toByteArray).blockFirst(PATIENCE))
                .startsWith("pong".getBytes());
        client.disposeNow();
        here.disposeNow();
    }
}
