package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** Connecting, by the rules of Reactive Streams. */
public class ConnectTckTest extends PublisherVerification<Object> {
    private TckPair pair;

    /** For TestNG. */
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
        return null; // it fails only once it is requested, as it does everything
    }
}
