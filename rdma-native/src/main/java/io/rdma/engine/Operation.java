package io.rdma.engine;

import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.RemoteMemory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

// States: NEW -> POSTED                       submitted by the loop, which posts it itself
//         NEW -> WAITING -> POSTED -> ENDED    completed or failed, the listener methods run
//                WAITING -> ENDED, CANCELLED   nothing reached the device
//         ENDED -> POSTED, WAITING             submitted again
// - Whoever moves the state out of WAITING owns what follows. POSTED belongs to the queue that posted it: one thread at
// a time, which therefore needs no atomic instruction.
// - Who abandons raises the flag by an atomic instruction and then looks at the state; who ends operations makes all
// that a completion ends ENDED, passes one full fence and then looks at their flags: at least one of the two sees the
// other. If both do, an atomic instruction on the flag decides: from RAISED to HEARD for the abandon, back to DOWN for
// the end.
// - Every operation gives its buffer back exactly once for each time it was submitted. The close of a buffer that the
// engine is to close happens at an abandon that finds the state NEW as well, since no submit may follow: a second close
// does nothing. Who is sure to submit abandons by abandonSubmitted(), and then there is one close.

/**
 * One submitted work request and the upcall for its end. A front-end subclasses it with its subscriber or continuation.
 *
 * <p>Exactly one of {@link #completed}, {@link #failed} and an {@link #abandon} that returned true ends it. After the
 * first two it may be submitted again, also from within them: what is done many times makes no garbage then. Nobody
 * should abandon it any more, because that may hit the next time.
 */
public abstract class Operation {
    private static final byte NEW = 0;
    private static final byte WAITING = 1;
    private static final byte POSTED = 2;
    private static final byte ENDED = 3;
    private static final byte CANCELLED = 4;

    private static final byte DOWN = 0;
    private static final byte RAISED = 1;
    private static final byte HEARD = 2;

    private static final Runnable NOTHING = () -> {};

    // Of fields, and of bytes: what is allocated for each operation is as small as can be.
    private static final VarHandle STATE;
    private static final VarHandle ABANDONED;

    static {
        try {
            MethodHandles.Lookup own = MethodHandles.lookup();
            STATE = own.findVarHandle(Operation.class, "state", byte.class);
            ABANDONED = own.findVarHandle(Operation.class, "abandoned", byte.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final WorkRequest request;
    private volatile byte state; // NEW
    private volatile byte abandoned; // DOWN
    private int length; // from the submit on: the buffer's limit may change while this waits to be posted
    private @Nullable Extras extras; // from the submit to the end, of those that need any

    /** What few operations have, apart from them: so most are small. */
    private static final class Extras {
        private @Nullable MemoryRegion exposed; // of a large message: the buffer as the peer may read it
        private @Nullable CachedAddress path; // of a datagram: held until the end
        private @Nullable SlowOperationEvent slow; // while a recording wants it
    }

    /**
     * An operation.
     *
     * @param request what to post
     */
    protected Operation(WorkRequest request) {
        this.request = request;
    }

    private boolean move(byte from, byte to) {
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
     * Success. On the completion loop, or on a thread of its own for a message that the peer had to fetch; must not
     * block.
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
     * Ends the interest. What was not posted never will be, and its buffer is given back at once; what was posted
     * happens anyway, and its buffer is given back when the device is done. Any thread.
     *
     * @return false if {@link #completed} or {@link #failed} was, or is being, called, or it was abandoned before
     */
    public final boolean abandon() {
        boolean won = abandonSubmitted();
        if (won && state == NEW) { // a submit that is under way, or comes later, sees the flag or the closed buffer
            request.drop();
        }
        return won;
    }

    /** As {@link #abandon}, of what is submitted for certain: where that is still to come, it gives the buffer back. */
    final boolean abandonSubmitted() {
        if (state == ENDED || !ABANDONED.compareAndSet(this, DOWN, RAISED)) {
            return false;
        }
        int now = state;
        if (now == NEW) {
            return true;
        }
        if (now == WAITING && move(WAITING, CANCELLED)) {
            giveBack(NOTHING);
            return true;
        }
        return state != ENDED || !ABANDONED.compareAndSet(this, RAISED, DOWN);
    }

    /**
     * Behind {@link #ending} and a full fence.
     *
     * @return whether the listener is to hear of the end, because nobody abandoned it
     */
    private boolean isWanted() {
        return abandoned == DOWN || !ABANDONED.compareAndSet(this, RAISED, HEARD);
    }

    /**
     * The submit begins: what is checked now is what is posted.
     *
     * @throws IllegalStateException if it is in flight
     */
    final int fixLength() {
        int now = state;
        if (now == WAITING || now == POSTED) {
            throw new IllegalStateException("the operation is in flight: submit it again when it has ended");
        }
        length = request.checkedLength();
        if (now == ENDED) {
            STATE.setRelease(this, NEW); // the path of a datagram may take its time: it can be abandoned meanwhile
        }
        if (FlightRecorder.isInitialized()) { // the first event makes it initialise, a good part of the start-up
            watch();
        }
        return length;
    }

    private void watch() {
        SlowOperationEvent event = new SlowOperationEvent();
        if (event.isEnabled()) {
            event.begin();
            extras().slow = event;
        }
    }

    private Extras extras() {
        Extras now = extras;
        if (now == null) {
            now = new Extras();
            extras = now;
        }
        return now;
    }

    /** It ends: a recording hears of it if it took long. */
    final void ended(int queuePair, boolean failed) {
        Extras more = extras;
        SlowOperationEvent event = more == null ? null : more.slow;
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
        extras().exposed = region;
    }

    /** Where the peer finds the message; null if it is sent as it is. */
    final @Nullable RemoteMemory exposed() {
        Extras more = extras;
        MemoryRegion region = more == null ? null : more.exposed;
        return region == null ? null : region.remote();
    }

    /** The way of a datagram, which the operation holds from now on. Before the submit. */
    final void setPath(CachedAddress held) {
        extras().path = held;
    }

    /** The way of a datagram; null for all else. */
    final @Nullable CachedAddress path() {
        Extras more = extras;
        return more == null ? null : more.path;
    }

    /**
     * The device is to use the buffer from now on.
     *
     * @return false if it was abandoned, and its buffer closed with it: nothing was borrowed
     * @throws IllegalStateException if the buffer is closed or in use in a way that excludes this
     */
    final boolean borrow() {
        try {
            if (!isAbandoned()) {
                request.borrow();
                return true;
            }
        } catch (IllegalStateException e) {
            if (!isAbandoned()) {
                throw e;
            }
        }
        request.drop();
        return false;
    }

    /** Its buffer is borrowed, but it could not be submitted, which its submitter does not wait to hear. */
    final void refuse(RuntimeException error) {
        ending();
        VarHandle.fullFence();
        fail(error);
    }

    /** Ends what the device, or the peer, had of the buffer; then the rest. By whoever ends the operation. */
    private void giveBack(Runnable then) {
        Extras more = extras;
        extras = null;
        MemoryRegion region = null;
        if (more != null) {
            region = more.exposed;
            CachedAddress held = more.path;
            if (held != null) {
                held.release();
            }
        }
        if (region == null) {
            try {
                request.giveBack();
            } finally {
                then.run();
            }
        } else {
            unexpose(region, then);
        }
    }

    /**
     * Off the loop: unpinning much memory takes its time. First the region: who gets the buffer must not be read by the
     * peer.
     */
    private void unexpose(MemoryRegion region, Runnable then) {
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

    /** It was abandoned before it was posted or queued: what the submit took goes back. */
    final void releaseUnposted() {
        giveBack(NOTHING);
    }

    /**
     * Whether the interest has ended: if it was not posted before, it never will be.
     *
     * @return true after the first {@link #abandon}
     */
    public final boolean isAbandoned() {
        return abandoned != DOWN;
    }

    /**
     * It goes to wait for its post.
     *
     * @return false if it was abandoned before, and {@link #releaseUnposted} is due
     */
    final boolean markQueued() {
        state = WAITING;
        return abandoned == DOWN || !move(WAITING, CANCELLED); // an abandon that saw NEW leaves it to us
    }

    /** @return false if it was abandoned while it waited */
    final boolean markPosted() {
        return move(WAITING, POSTED);
    }

    /**
     * Posted without having waited in a queue.
     *
     * @return false if it was abandoned before, and {@link #releaseUnposted} is due
     */
    final boolean markPostedAtOnce() {
        if (abandoned != DOWN) {
            return false;
        }
        STATE.setRelease(this, POSTED);
        return true;
    }

    /**
     * Whether it waits for room, for the peer or for its submit: so that an {@link #abandon} would have it never
     * posted.
     *
     * @return false once it is posted, or has ended otherwise
     */
    public final boolean isWaiting() {
        int now = state;
        return now == NEW || now == WAITING;
    }

    /** Whether the submit got so far that the operation ends by itself, and gives its buffer back. */
    final boolean isSubmitted() {
        return state != NEW;
    }

    /**
     * Whether {@link #completed} or {@link #failed} was, or is being, called.
     *
     * @return false also after an {@link #abandon}
     */
    protected final boolean isDone() {
        return state == ENDED && abandoned == DOWN;
    }

    /**
     * Its end is known: {@link #complete} or {@link #fail} follow, behind a full fence. By who has it from the device.
     */
    final void ending() {
        STATE.setRelease(this, ENDED);
    }

    /**
     * As {@link #ending}, of one that waits.
     *
     * @return false if it was abandoned
     */
    final boolean tryEndWaiting() {
        return move(WAITING, ENDED);
    }

    final void complete(long value) {
        boolean wanted = isWanted();
        if (extras == null) { // the hot path makes no closure
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
        giveBack(isWanted() ? () -> failed(error) : NOTHING);
    }
}
