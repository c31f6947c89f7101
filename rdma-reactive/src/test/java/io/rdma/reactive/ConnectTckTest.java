package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** TCK of Reactive Streams for connect. */
public class ConnectTckTest extends PublisherVerification<Object> {
    private TckPair pair;

    /** Creates the test; called by TestNG. */
    public ConnectTckTest() {
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
        return 1;
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
        return pair.connecting().map(connection -> {
            connection.dispose();
            return connection;
        });
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
        return null; // it does nothing, and so cannot fail, before it is requested
    }
}
