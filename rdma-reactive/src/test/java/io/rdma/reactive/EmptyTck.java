package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import reactor.core.publisher.Mono;

/** TCK of Reactive Streams for an operation without a result. The TCK skips the rules whose test needs an element. */
public abstract class EmptyTck extends PublisherVerification<Void> {
    private TckPair pair;

    EmptyTck() {
        super(TckPair.environment());
    }

    /** Returns the operation, on a connection of its own. */
    abstract Mono<Void> operation(TckPair.Ends ends);

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
        return 0;
    }

    @Override
    public Publisher<Void> createPublisher(long elements) {
        return operation(pair.connect());
    }

    @Override
    public Publisher<Void> createFailedPublisher() {
        return null; // it does nothing, and so cannot fail, before it is requested
    }
}
