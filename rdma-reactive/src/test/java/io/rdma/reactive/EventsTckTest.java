package io.rdma.reactive;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.internal.engine.EventBuffer;
import io.rdma.testing.LimitEvents;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.RdmaDevices;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;

/** TCK of Reactive Streams for the events of a device. */
public class EventsTckTest extends PublisherVerification<AsyncEvent> {
    /** Creates the test; called by TestNG. */
    public EventsTckTest() {
        super(TckPair.environment());
    }

    @Override
    public long maxElementsFromPublisher() {
        return EventBuffer.CAPACITY;
    }

    /**
     * Returns the events of resources of their own. The device raises that many events after the first subscription,
     * and then the resources close.
     */
    @Override
    public Publisher<AsyncEvent> createPublisher(long elements) {
        RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
        LimitEvents limit = new LimitEvents(resources.context(), resources.domain());
        Semaphore delivered = new Semaphore(0);
        DeviceResources.of(resources).events(delivered::release);
        AtomicBoolean begun = new AtomicBoolean();
        return new EventFlux(changed -> {
            EventBuffer buffer = DeviceResources.of(resources).events(changed);
            if (begun.compareAndSet(false, true)) {
                Thread.ofVirtual().start(() -> {
                    for (long i = 0; i < elements; i++) {
                        limit.raise();
                    }
                    delivered.acquireUninterruptibly((int) elements); // closing the queue discards its events
                    limit.close();
                    resources.close();
                });
            }
            return buffer;
        });
    }

    @Override
    public Publisher<AsyncEvent> createFailedPublisher() {
        return null; // it fails only when the device fails
    }
}
