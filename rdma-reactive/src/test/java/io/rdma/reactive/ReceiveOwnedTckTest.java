package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** TCK of Reactive Streams for messages that the subscriber owns. */
public class ReceiveOwnedTckTest extends PublisherVerification<Object> {
    private TckPair pair;

    /** Creates the test; called by TestNG. */
    public ReceiveOwnedTckTest() {
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
        return pair.ended(elements).receiveOwned().map(message -> {
            message.close();
            return message;
        });
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
        RdmaConnection connection = pair.connect().server();
        connection.receiveOwned().subscribe();
        return connection.receiveOwned().cast(Object.class); // there is a receiver already
    }
}
