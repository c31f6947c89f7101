package io.rdma.engine;

import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RemoteMemory;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

// States: NEW -> QUEUED                        submitted, its buffer is borrowed; NEW -> CANCELLED: it never will be
//         NEW -> POSTED                        submitted by the loop, which posts it itself
//         QUEUED -> POSTED -> DONE             completed or failed, the listener methods run
//         QUEUED -> CANCELLED                  nothing reached the device
//         POSTED -> ABANDONED                  the device goes on; its completion only gives the buffer back
// Whoever moves the state out of QUEUED or POSTED owns what follows; every operation gives its buffer back exactly
// once.

/**
 * One submitted work request and the upcall for its end. A front-end subclasses it with its subscriber or continuation. Used once.
 *
 * <p>Exactly one of {@link #completed}, {@link #failed} and an {@link #abandon} that returned true ends it.
 */
public abstract class Operation {
    private static final int NEW = 0;
    private static final int QUEUED = 1;
    private static final int POSTED = 2;
    private static final int DONE = 3;
    private static final int CANCELLED = 4;
    private static final int ABANDONED = 5;

    private static final Runnable NOTHING = () -> {};

    // Of a field, not an AtomicInteger: an object less for each operation.
    private static final AtomicIntegerFieldUpdater<Operation> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Operation.class, "state");

    private final WorkRequest request;
    private volatile int state; // NEW
    private @Nullable MemoryRegion exposed; // of a large message: the buffer as the peer may read it, until the end
    private @Nullable CachedAddress path; // of a datagram: held until the end
    private @Nullable SlowOperationEvent slow; // while a recording wants it
    private int length; // from the submit on: the buffer's limit may change while this waits to be posted

    /**
     * An operation.
     *
     * @param request what to post
     */
    protected Operation(WorkRequest request) {
        this.request = request;
    }

    private boolean move(int from, int to) {
        return STATE.compareAndSet(this, from, to);
    }

    /**
     * What is posted.
     *
     * @return the request
     */
    public final WorkRequest request() {
        return request;
    }

    /**
     * Success. On the completion loop, or on a thread of its own for a message that the peer had to fetch; must not block.
     *
     * @param value the old value for atomics, else 0
     */
    protected abstract void completed(long value);

    /**
     * Failure. On the completion loop, or on the submitting thread if nothing could be posted; must not block.
     *
     * @param error typed, see {@link RdmaEndpoint#submit}
     */
    protected abstract void failed(RuntimeException error);

    /**
     * Ends the interest. What was not posted never will be, and its buffer is given back at once; what was posted happens anyway, and its buffer
     * is given back when the device is done.
     *
     * @return false if {@link #completed} or {@link #failed} was, or is being, called
     */
    public final boolean abandon() {
        if (move(NEW, CANCELLED)) {
            request.drop(); // a submit that comes later does nothing
            return true;
        }
        if (move(QUEUED, CANCELLED)) {
            giveBack(NOTHING);
            return true;
        }
        return move(POSTED, ABANDONED);
    }

    /** What is checked at the submit is what is posted. */
    final int fixLength() {
        length = request.checkedLength();
        if (FlightRecorder.isInitialized()) { // the first event makes it initialise, a good part of the start-up
            SlowOperationEvent event = new SlowOperationEvent();
            if (event.isEnabled()) {
                event.begin();
                slow = event;
            }
        }
        return length;
    }

    /** It ends: a recording hears of it if it took long. */
    final void ended(int queuePair, boolean failed) {
        SlowOperationEvent event = slow;
        if (event != null && event.shouldCommit()) {
            event.opcode = request.opcode().name();
            event.bytes = length;
            event.queuePair = queuePair;
            event.failed = failed;
            event.commit();
        }
    }

    /** Bytes, as they were at the submit. */
    final int length() {
        return length;
    }

    /** The buffer is exposed to the peer from now until the operation ends. Before the submit. */
    final void expose(MemoryRegion region) {
        exposed = region;
    }

    /** Where the peer finds the message; null if it is sent as it is. */
    final @Nullable RemoteMemory exposed() {
        MemoryRegion region = exposed;
        return region == null ? null : region.remote();
    }

    /** The way of a datagram, which the operation holds from now on. Before the submit. */
    final void goBy(CachedAddress held) {
        path = held;
    }

    /** The way of a datagram; null for all else. */
    final @Nullable CachedAddress path() {
        return path;
    }

    /** The way is not needed any more. By whoever ends the operation. */
    private void releasePath() {
        CachedAddress held = path;
        if (held != null) {
            path = null;
            held.release();
        }
    }

    /** Its buffer is borrowed, but it could not be submitted, which its submitter does not wait to hear. */
    final void refuse(RuntimeException error) {
        boolean wanted = abandon();
        giveBack(wanted ? () -> failed(error) : NOTHING);
    }

    /** Ends what the device, or the peer, had of the buffer; then the rest. */
    private void giveBack(Runnable then) {
        releasePath();
        MemoryRegion region = exposed;
        if (region == null) {
            try {
                request.giveBack();
            } finally {
                then.run();
            }
            return;
        }
        // Off the loop: unpinning much memory takes its time. First the region: who gets the buffer must not be read by
        // the peer.
        Thread.ofVirtual().name("rdma-unexpose").start(() -> {
            try {
                region.close();
            } finally {
                try {
                    request.giveBack();
                } finally {
                    then.run();
                }
            }
        });
    }

    /** It was cancelled before the submit: what the submit took goes back. */
    final void cancelledBefore() {
        giveBack(NOTHING);
    }

    /** Whether the interest ended before anything was posted. */
    final boolean isCancelled() {
        return state == CANCELLED;
    }

    final boolean markQueued() {
        return move(NEW, QUEUED);
    }

    final boolean markPosted() {
        return move(QUEUED, POSTED);
    }

    /** Posted without having waited in a queue. */
    final boolean markPostedAtOnce() {
        return move(NEW, POSTED);
    }

    /**
     * Whether {@link #completed} or {@link #failed} was, or is being, called.
     *
     * @return false also after an {@link #abandon}
     */
    protected final boolean isDone() {
        return state == DONE;
    }

    final void complete(long value) {
        boolean wanted = move(POSTED, DONE);
        releasePath();
        if (exposed == null) { // the hot path makes no closure
            try {
                request.giveBack();
            } finally {
                if (wanted) {
                    completed(value);
                }
            }
        } else {
            giveBack(wanted ? () -> completed(value) : NOTHING);
        }
    }

    final void fail(RuntimeException error) {
        boolean wanted = move(POSTED, DONE) || move(QUEUED, DONE);
        if (!isCancelled()) { // else the canceller gave the buffer back
            giveBack(wanted ? () -> failed(error) : NOTHING);
        }
    }
}
