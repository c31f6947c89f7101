package io.rdma.reactive;

import org.reactivestreams.Publisher;

/** TCK of Reactive Streams for the acquire of a pooled buffer. */
public class AcquireTckTest extends ConnectionTck<Object> {
    /** Creates the test; called by TestNG. */
    public AcquireTckTest() {
        super(1);
    }

    @Override
    public Publisher<Object> createPublisher(long elements) {
        return pair.connect().client().acquire().map(buffer -> {
            buffer.close();
            return buffer;
        });
    }
}
