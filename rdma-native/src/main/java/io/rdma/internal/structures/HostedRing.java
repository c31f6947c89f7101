package io.rdma.internal.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.engine.RdmaEndpoint;
import io.rdma.internal.engine.Endpoint;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.RingMemory;
import io.rdma.structures.StructureLocation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

// Invariants
// - The consumer is used under the lock.
// - An entry is taken when it is certain that a caller gets it. Until then the producer does not write there.

/** A ring at its consumer. */
public final class HostedRing extends HostedMemory implements RingMemory {
    private final RingLayout layout;
    private final RingConsumer consumer; // guarded by this
    private final AtomicReference<@Nullable Endpoint> producer = new AtomicReference<>();
    private final Deque<byte[]> returned = new ArrayDeque<>(); // guarded by this: taken for callers that were gone then

    /**
     * Allocates an empty ring.
     *
     * @param resources resources of the server whose client produces
     * @param capacity bytes for all entries
     * @throws IllegalArgumentException if the capacity is no multiple of 16, or less than 64
     */
    public HostedRing(RdmaResources resources, int capacity) {
        super(resources, StructureHeader.of(StructureHeader.Kind.RING, RecordOptions.of(checked(capacity), 1), 0));
        layout = header.ring();
        consumer = new RingConsumer(region.segment(), layout);
    }

    private static int checked(int capacity) {
        if (!RingLayout.isPossible(capacity)) {
            throw new IllegalArgumentException("a ring of " + capacity + " bytes: use a multiple of 16, at least 64");
        }
        return capacity;
    }

    @Override
    public StructureLocation admit(RdmaEndpoint client) {
        if (!producer.compareAndSet(null, Endpoint.of(client))) {
            throw new IllegalStateException("the ring has or had a producer: allocate a ring for each producer");
        }
        try {
            return super.admit(client);
        } catch (RuntimeException e) { // such as a connection of another protection domain
            producer.set(null);
            throw e;
        }
    }

    @Override
    public int maxEntry() {
        return layout.maxEntry();
    }

    @Override
    public boolean isEnded() {
        Endpoint endpoint = producer.get();
        return endpoint != null && endpoint.closed().isDone();
    }

    @Override
    public synchronized byte @Nullable [] poll() {
        byte[] entry = returned.pollFirst();
        if (entry != null) {
            return entry;
        }
        entry = consumer.peek();
        if (entry != null) {
            consumer.take(entry);
        }
        return entry;
    }

    /**
     * Gives an entry back whose receiver was cancelled as it got it. The next caller gets it.
     *
     * @param entry result of {@link #next}
     */
    public synchronized void giveBack(byte[] entry) {
        returned.addLast(entry);
    }

    /**
     * Takes the next entry when it has arrived. The result is null if none will arrive. A call that is cancelled takes
     * nothing.
     */
    public StructureCall<byte[]> next(StructureCall.Outcome<? super byte[]> outcome) {
        return new Next(outcome).start();
    }

    private final class Next extends StructureCall<byte[]> {
        Next(Outcome<? super byte[]> outcome) {
            super(HostedRing.this.access, outcome);
        }

        @Override
        void attempt() {
            boolean over = isEnded(); // before the look, so that what has arrived is taken first
            byte[] entry;
            synchronized (HostedRing.this) {
                byte[] again = returned.peekFirst();
                entry = again != null ? again : consumer.peek();
                if (entry != null || over) {
                    if (!tryEnd()) {
                        return;
                    }
                    if (again != null) {
                        returned.removeFirst();
                    } else if (entry != null) {
                        consumer.take(entry);
                    }
                } else {
                    pause();
                    return;
                }
            }
            tell(entry);
        }
    }
}
