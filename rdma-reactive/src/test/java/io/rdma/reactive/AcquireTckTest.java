package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** TCK of Reactive Streams for the acquire of a pooled buffer. */
public class AcquireTckTest extends PublisherVerification<Object> {
    private TckPair pair;

    /** Creates the test; called by TestNG. */
    public AcquireTckTest() {
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
        return pair.connect().client().acquire().map(buffer -> {
            buffer.close();
            return buffer;
        });
    }

    @Override
    public Publisher<Object> createFailedPublisher() {
        return null; // it does nothing, and so cannot fail, before it is requested
    }
}
