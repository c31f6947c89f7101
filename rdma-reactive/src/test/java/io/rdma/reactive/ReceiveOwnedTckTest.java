package io.rdma.reactive;

import org.reactivestreams.Publisher;

/** TCK of Reactive Streams for messages that the subscriber owns. */
public class ReceiveOwnedTckTest extends ConnectionTck<Object> {
    /** Creates the test; called by TestNG. */
    public ReceiveOwnedTckTest() {
        super(TckPair.MESSAGES);
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
