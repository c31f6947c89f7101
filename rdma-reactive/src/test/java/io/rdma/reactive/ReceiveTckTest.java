package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** TCK of Reactive Streams for messages that a decoder reads. */
public class ReceiveTckTest extends PublisherVerification<Object> {
    private TckPair pair;

    /** Creates the test; called by TestNG. */
    public ReceiveTckTest() {
        super(TckPair.environment());
    }

    @BeforeClass
    public void open() {
        pair = new TckPair();
    }

    @AfterClass
    public void close() {
        pair.close();
    }

    @Override
    public long maxElementsFromPublisher() {
        return TckPair.MESSAGES;
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
        return pair.ended(elements).receive(message -> message.length());
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
        RdmaConnection connection = pair.connect().server();
        connection.receive(message -> message.length()).subscribe();
        return connection.receive(message -> message.length()); // there is a receiver already
    }
}
