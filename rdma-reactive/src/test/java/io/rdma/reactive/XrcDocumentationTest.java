package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.ReceivedMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Snippets of docs/guide/xrc.md. */
class XrcDocumentationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void aSenderReachesTwoReceivers() {
        RdmaXrcReceiver orders = RdmaXrcReceiver.create()
                .device("soft0")
                .receiveBuffers(64, 4096)
                .bindNow();
        RdmaXrcReceiver prices = RdmaXrcReceiver.create()
                .device("soft0")
                .receiveBuffers(64, 4096)
                .bindNow();
        DisposableServer server =
                RdmaXrcServer.create().device("soft0").receiveBufferSize(4096).bindNow();

        RdmaXrcSender sender =
                RdmaXrcClient.create().device("soft0").port(server.port()).connectNow();
        sender.send(8, message -> message.setString(0, "order 1"), orders.number())
                .then(sender.send(8, message -> message.setString(0, "price 1"), prices.number()))
                .block(PATIENCE);

        Flux<byte[]> arrived = orders.receive(ReceivedMessage::toByteArray);
        assertThat(arrived.blockFirst(PATIENCE)).startsWith("order 1".getBytes());
        assertThat(prices.receive(ReceivedMessage::toByteArray).blockFirst(PATIENCE))
                .startsWith("price 1".getBytes());
        sender.disposeNow();
        server.disposeNow();
        orders.disposeNow();
        prices.disposeNow();
    }
}
