package io.rdma.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RdmaException;
import io.rdma.verbs.RemoteMemory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// States: ANNOUNCED -> READING (the application wants it) -> HERE, or FAILED with its connection.
// Invariants
// - Memory for the message is registered only when the application asks, so announcements cost a receive buffer each.
// - At most READS parts are in flight; the last one to end decides. Whoever makes the state HERE or FAILED owns the
// memory: HERE hands it to the message.

/**
 * A message that is larger than a receive buffer: the peer has announced where it lies, and it is read from there, in
 * parts.
 */
final class Fetch {
    private static final int ANNOUNCED = 0;
    private static final int READING = 1;
    private static final int HERE = 2;
    private static final int FAILED = 3;
    private static final int PART = 1 << 20; // well below any device's largest message
    private static final int READS = 4;

    private final RdmaEndpoint endpoint;
    private final ReceiveQueue queue;
    private final RemoteMemory source;
    private final boolean hasImmediate;
    private final boolean hasInvalidatedKey;
    private final int data;
    private final IntConsumer giveBack;
    private final int slot;
    private final AtomicInteger state = new AtomicInteger(ANNOUNCED);
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong arrived = new AtomicLong();
    private volatile @Nullable MemoryRegion region;

    /** @param giveBack gives the receive buffer of the announcement, which is in the slot, back; runs once */
    Fetch(
            RdmaEndpoint endpoint,
            ReceiveQueue queue,
            RemoteMemory source,
            boolean hasImmediate,
            boolean hasInvalidatedKey,
            int data,
            IntConsumer giveBack,
            int slot) {
        this.endpoint = endpoint;
        this.queue = queue;
        this.source = source;
        this.hasImmediate = hasImmediate;
        this.hasInvalidatedKey = hasInvalidatedKey;
        this.data = data;
        this.giveBack = giveBack;
        this.slot = slot;
    }

    /** Whether {@link #take} will say more than it said before. */
    boolean isEnded() {
        return state.get() >= HERE;
    }

    /** Whether it has been started and will end without more ado. */
    boolean isReading() {
        return state.get() == READING;
    }

    boolean isFailed() {
        return state.get() == FAILED;
    }

    /** Has it read, if it is not yet. The one consumer. */
    void start() {
        if (endpoint.isClosing()) {
            fail();
        } else if (state.compareAndSet(ANNOUNCED, READING)) {
            Thread.ofVirtual().name("rdma-fetch").start(this::begin); // registering a large region takes its time
        }
    }

    private void begin() {
        try {
            MemoryRegion fresh = endpoint.allocateMessage(source.length());
            region = fresh;
            if (isFailed()) { // the close may have missed the region
                fresh.close();
                return;
            }
            for (int i = 0; i < READS; i++) {
                readNext(fresh);
            }
        } catch (RdmaException | IllegalStateException | OutOfMemoryError e) {
            endpoint.abort(new RdmaException(
                    "no memory for a message of " + source.length() + " bytes: lower maxMessageSize. " + e.getMessage(),
                    e));
            fail();
        }
    }

    private void readNext(MemoryRegion into) {
        long from = asked.getAndAdd(PART);
        if (from >= source.length() || state.get() != READING) {
            return;
        }
        int bytes = (int) Math.min(PART, source.length() - from);
        try (RegisteredBuffer part = RegisteredBuffer.of(into, from, bytes)) {
            endpoint.submit(new Operation(WorkRequest.read(source.slice(from, bytes), part)) {
                @Override
                protected void completed(long value) {
                    if (arrived.addAndGet(bytes) == source.length()) {
                        succeed();
                    } else {
                        readNext(into);
                    }
                }

                @Override
                protected void failed(RuntimeException error) {
                    Fetch.this.fail();
                }
            });
        }
    }

    private void succeed() {
        if (state.compareAndSet(READING, HERE)) {
            endpoint.fetched();
            queue.changed();
        }
    }

    private void fail() {
        if (state.getAndUpdate(now -> now < HERE ? FAILED : now) < HERE) {
            MemoryRegion mine = region;
            if (mine != null) {
                free(mine); // parts in flight hold it
            }
            giveBack.accept(slot);
            queue.changed();
        }
    }

    /** The message, once; the state is HERE. */
    ReceivedMessage message() {
        MemoryRegion mine = java.util.Objects.requireNonNull(region);
        return new ReceivedMessage(
                mine.segment(),
                (int) source.length(),
                hasImmediate,
                hasInvalidatedKey,
                data,
                place -> {
                    free(mine);
                    giveBack.accept(place);
                },
                slot);
    }

    /** Deregistering is a system call that takes its time, and a message is often closed on the loop. */
    private static void free(MemoryRegion region) {
        Thread.ofVirtual().name("rdma-free").start(region::close);
    }
}
