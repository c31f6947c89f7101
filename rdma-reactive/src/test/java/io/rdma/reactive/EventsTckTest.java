package io.rdma.reactive;

import io.rdma.engine.EventBuffer;
import io.rdma.engine.RdmaResources;
import io.rdma.testing.LimitEvents;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.RdmaDevices;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;

/** Events of a device, by the rules of Reactive Streams. */
public class EventsTckTest extends PublisherVerification<AsyncEvent> {
    /** For TestNG. */
    public EventsTckTest() {
        super(TckPair.environment());
    }

    @Override
    public long maxElementsFromPublisher() {
        return EventBuffer.CAPACITY;
    }

    /** Of a device of its own, which tells so many events once there is a subscriber, and then closes. */
    @Override
    public Publisher<AsyncEvent> createPublisher(long elements) {
        RdmaResources resources = new RdmaResources(RdmaDevices.named("soft0"));
        LimitEvents limit = new LimitEvents(resources);
        Semaphore told = new Semaphore(0);
        resources.events(told::release);
        AtomicBoolean begun = new AtomicBoolean();
        return new EventFlux(changed -> {
            EventBuffer buffer = resources.events(changed);
            if (begun.compareAndSet(false, true)) {
                Thread.ofVirtual().start(() -> {
                    for (long i = 0; i < elements; i++) {
                        limit.raise();
                    }
                    told.acquireUninterruptibly((int) elements); // a queue that is closed takes its events along
                    limit.close();
                    resources.close();
                });
            }
            return buffer;
        });
    }

    @Override
    public Publisher<AsyncEvent> createFailedPublisher() {
        return null; // it fails only when the device does
    }
}
