package io.rdma.reactive;

import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;
import reactor.core.publisher.Mono;

/**
 * An operation without a result, by the rules of Reactive Streams. What needs an element to be tested is skipped by the
 * TCK.
 */
public abstract class EmptyTck extends PublisherVerification<Void> {
    private TckPair pair;

    EmptyTck() {
        super(TckPair.environment());
    }

    /** The operation, on a connection of its own. */
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
        return null; // it fails only once it is requested, as it does everything
    }
}
