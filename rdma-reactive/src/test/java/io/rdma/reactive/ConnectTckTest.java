package io.rdma.reactive;

import org.reactivestreams.Publisher;

/** TCK of Reactive Streams for connect. */
public class ConnectTckTest extends ConnectionTck<Object> {
    /** Creates the test; called by TestNG. */
    public ConnectTckTest() {
        super(1);
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
        return pair.connecting().map(connection -> {
            connection.dispose();
            return connection;
        });
    }
}
