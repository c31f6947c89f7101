package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** TCK of Reactive Streams for a publisher of a connection. Each publisher has a connection of its own. */
public abstract class ConnectionTck<T> extends PublisherVerification<T> {
    private final long most;
    TckPair pair;

    /**
     * Creates the test.
     *
     * @param most elements that a publisher signals at most
     */
    ConnectionTck(long most) {
        super(TckPair.environment());
        this.most = most;
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
        return most;
    }

    @Override
    public Publisher<T> createFailedPublisher() {
        return null; // it does nothing, and so cannot fail, before it is requested
    }
}
