package io.rdma.internal.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.internal.close.CloseSteps;
import io.rdma.internal.loop.BlockingTasks;
import io.rdma.types.RdmaException;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// States: ANNOUNCED -> READING (the application wants it) -> HERE, or FAILED with its connection.
// Invariants
// - Memory for the message is registered only when the application asks for it, so until then an announcement costs
// only its receive buffer.
// - At most READS parts are in flight. The part that completes the length sets HERE. The thread that sets HERE or
// FAILED owns the memory; with HERE it passes to the message.

/**
 * A message that is larger than a receive buffer. The peer has announced where it lies, and this side reads it from
 * there in parts.
 */
final class Fetch implements BlockingTasks.Task {
    private static final int ANNOUNCED = 0;
    private static final int READING = 1;
    private static final int HERE = 2;
    private static final int FAILED = 3;
    private static final int PART = 1 << 20; // well below any device's largest message
    private static final int READS = 4;

    private final Endpoint endpoint;
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
    private @Nullable Throwable unallocated; // from run() to goOn()

    /**
     * Creates the fetch of an announced message; it starts later.
     *
     * @param giveBack gives back the receive buffer of the announcement, which is in the slot; runs once
     */
    Fetch(
            Endpoint endpoint,
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

    /** Returns whether the message has been read or has failed. */
    boolean isEnded() {
        return state.get() >= HERE;
    }

    /** Returns whether it has been started and will end without further calls. */
    boolean isReading() {
        return state.get() == READING;
    }

    boolean isFailed() {
        return state.get() == FAILED;
    }

    /** Starts to read the message, unless that was done. For the one consumer. */
    void start() {
        if (endpoint.isClosing()) {
            fail();
        } else if (state.compareAndSet(ANNOUNCED, READING)) {
            endpoint.loop().slowTasks().fetches().execute("rdma-fetch", this); // registering is slow
        }
    }

    /** Allocates the memory. */
    @Override
    public void run() {
        if (isFailed()) { // while it waited for a thread
            return;
        }
        try {
            MemoryRegion fresh = endpoint.memory().allocateMessage(source.length());
            region = fresh;
            if (isFailed()) { // fail() may have run before the region was set
                fresh.close();
            }
        } catch (Throwable e) {
            unallocated = e;
        }
    }

    /** Begins to read, or ends the connection if there is no memory. */
    @Override
    public void goOn() {
        try {
            if (unallocated != null) {
                throw unallocated;
            }
            MemoryRegion into = region;
            for (int i = 0; into != null && i < READS; i++) {
                readNext(into);
            }
        } catch (Throwable e) { // whatever it is, the consumer waits for the end of this message
            try {
                endpoint.abort(reason(e));
            } finally {
                fail();
            }
        }
    }

    @Override
    public void refused(Throwable reason) {
        try {
            endpoint.fail(reason);
        } finally {
            fail();
        }
    }

    private Throwable reason(Throwable e) {
        return e instanceof RdmaException || e instanceof IllegalStateException || e instanceof OutOfMemoryError
                ? new RdmaException(
                        "no memory for a message of " + source.length() + " bytes: lower maxMessageSize. "
                                + e.getMessage(),
                        e)
                : e;
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

    /** Ends the fetch without its message, unless it has ended. */
    void fail() {
        if (state.getAndUpdate(now -> now < HERE ? FAILED : now) < HERE) {
            MemoryRegion mine = region;
            if (mine != null) {
                free(mine); // parts in flight hold it
            }
            giveBack.accept(slot);
            queue.changed();
        }
    }

    /** Returns the message; called once, in state HERE. */
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

    /** Deregisters on a separate thread: it is a slow system call, and a message is often closed on the loop. */
    private static void free(MemoryRegion region) {
        region.environment()
                .startOrRun(
                        "rdma-free",
                        () -> new CloseSteps()
                                .run(region::close) // if the device refuses it, the domain tries again
                                .log(Fetch.class, "the memory of a large message was not deregistered"));
    }
}
