package io.rdma.reactive;

import org.reactivestreams.Publisher;

/** TCK of Reactive Streams for messages that a decoder reads. */
public class ReceiveTckTest extends ConnectionTck<Object> {
    /** Creates the test; called by TestNG. */
    public ReceiveTckTest() {
        super(TckPair.MESSAGES);
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
