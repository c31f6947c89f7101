package io.rdma.reactive;

import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.Endpoint;
import io.rdma.verbs.DatagramAddress;
import io.rdma.verbs.RdmaDevices;
import java.util.Objects;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** TCK of Reactive Streams for received datagrams. */
public class ReceiveDatagramTckTest extends PublisherVerification<Object> {
    private RdmaResources resources;
    private RdmaDatagramSocket sender;

    /** Creates the test; called by TestNG. */
    public ReceiveDatagramTckTest() {
        super(TckPair.environment());
    }

    @BeforeClass
    public void open() {
        resources = RdmaResources.open(RdmaDevices.named("soft0"));
        sender = bound();
    }

    @AfterClass
    public void close() {
        sender.disposeNow(TckPair.PATIENCE);
        resources.close();
    }

    private RdmaDatagramSocket bound() {
        return RdmaDatagramSocket.create()
                .resources(resources)
                .host("127.0.0.1")
                .receiveBuffers(TckPair.MESSAGES)
                .sendBuffers(4)
                .bindNow(TckPair.PATIENCE);
    }

    @Override
    public long maxElementsFromPublisher() {
        return TckPair.MESSAGES;
    }

    /**
     * Returns a receiver of that many datagrams, whose endpoint ends after them. This device loses none while each has
     * a buffer.
     */
    @Override
    public Publisher<Object> createPublisher(long elements) {
        RdmaDatagramSocket receiver = bound();
        DatagramAddress there = Objects.requireNonNull(
                sender.resolve("127.0.0.1", receiver.localAddress().getPort()).block(TckPair.PATIENCE));
        for (int i = 0; i < elements; i++) {
            sender.send(i, target -> {}, there).block(TckPair.PATIENCE);
        }
        await().atMost(TckPair.PATIENCE).until(() -> receiver.endpoint().outstandingReceives() == elements);
        Endpoint.of(receiver.endpoint()).close();
        return receiver.receive(ReceivedMessage::length);
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
        RdmaDatagramSocket receiver = bound();
        receiver.receive(ReceivedMessage::length).subscribe();
        return receiver.receive(ReceivedMessage::length); // there is a receiver already
    }
}
