package io.rdma.internal.engine;

import io.rdma.internal.close.CloseSteps;
import io.rdma.types.RemoteMemory;
import io.rdma.types.WorkRequestOpcode;
import io.rdma.verbs.QueuePair;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

// States: NEW -> POSTED                       submitted by the loop, which posts it itself
//         NEW -> WAITING -> POSTED -> ENDED    completed or failed, the listener methods run
//                WAITING -> ENDED, CANCELLED   nothing reached the device
//         ENDED -> POSTED, WAITING             submitted again
// - The thread that moves the state out of WAITING owns the next step. A POSTED operation belongs to the queue that
// posted it, which one thread at a time serves; so no atomic instruction is needed.
// - The abandoning thread raises the flag by an atomic instruction and then reads the state. The ending thread moves
// all operations that a completion ends to ENDED, passes one full fence and then reads their flags. So at least one of
// the two threads sees the other. If both do, an atomic instruction on the flag decides: from RAISED to HEARD for the
// abandon, back to DOWN for the end.
// - An operation gives its buffer back exactly once per submit. If the engine is to close the buffer, an abandon that
// finds the state NEW closes it as well, because a submit need not follow; a second close does nothing. A caller that
// is certain to submit uses abandonSubmitted() instead, and then there is one close.

/**
 * A work request and the callbacks for its end. A front-end subclasses it with its subscriber or continuation.
 *
 * <p>Exactly one of {@link #completed}, {@link #failed} and an {@link #abandon} that returned true ends it. After the
 * first two it may be submitted again, also from within them, so that a repeated operation makes no garbage. It should
 * not be abandoned after its end, because that may hit the next submit. On a connection that is closed, a submit fails
 * at once, on the thread of the caller.
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

    // Plain byte fields instead of atomic objects keep an operation as small as possible.
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

    private static final byte MESSAGE = 1;
    private static final byte READ = 2;

    private final WorkRequest request;
    private final byte kind; // of its opcode, which the hot path asks for several times
    private volatile byte state; // NEW
    private volatile byte abandoned; // DOWN
    private boolean loopRead; // from the borrow on; if true, only the loop that borrowed the buffer may give it back
    private int length; // from the submit on, as the buffer's limit may change before the post
    private @Nullable Extras extras; // from the submit to the end, where needed

    /** Fields that few operations need. They are kept apart so that most operations are small. */
    private static final class Extras {
        private @Nullable Exposure exposure; // of a large message
        private @Nullable CachedAddress path; // of a datagram; held until the end
        private @Nullable SlowOperationEvent slow; // while a recording is enabled
        private int @Nullable [] lengths; // of several buffers
    }

    /**
     * Creates an operation.
     *
     * @param request request to post
     */
    protected Operation(WorkRequest request) {
        this.request = request;
        WorkRequestOpcode opcode = request.opcode();
        kind = opcode.consumesReceive() ? MESSAGE : opcode.isReadOrAtomic() ? READ : 0;
    }

    /** Returns whether the request consumes a receive of the peer. */
    final boolean isMessage() {
        return kind == MESSAGE;
    }

    /** Returns whether the request is a read or an atomic, of which a queue pair has few in flight. */
    final boolean isRead() {
        return kind == READ;
    }

    private boolean move(byte from, byte to) {
        return STATE.compareAndSet(this, from, to);
    }

    /**
     * Returns the request that is posted.
     *
     * @return the request
     */
    public final WorkRequest request() {
        return request;
    }

    /**
     * Handles success. Runs on the completion loop, or on a thread of its own for a message that the peer had to fetch;
     * must not block.
     *
     * @param value the old value for atomics; the number of messages behind the first one for a batch; else 0
     */
    protected abstract void completed(long value);

    /**
     * Handles failure. Runs on the completion loop, or on another thread if the operation could not be posted or if the
     * peer had to fetch its message; must not block.
     *
     * @param error typed, see {@link Endpoint#submit}
     */
    protected abstract void failed(RuntimeException error);

    /**
     * Ends the caller's interest in the operation. If it is not posted yet, it never will be, and its buffer is given
     * back at once. If it is posted, it takes place all the same, and its buffer is given back when the device is done.
     * Any thread.
     *
     * @return false if {@link #completed} or {@link #failed} was or is being called, or if it was abandoned before
     */
    public final boolean abandon() {
        boolean won = abandonSubmitted();
        if (won && state == NEW) { // a concurrent or later submit sees the flag or the closed buffer
            request.drop();
        }
        return won;
    }

    /**
     * Abandons an operation that was or certainly will be submitted. Does the same as {@link #abandon}, but a submit
     * that is still to come gives the buffer back.
     */
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
     * Decides between the end and a concurrent abandon. Runs after {@link #ending} and a full fence.
     *
     * @return whether the listener is to be called, because the operation was not abandoned
     */
    private boolean isWanted() {
        return abandoned == DOWN || !ABANDONED.compareAndSet(this, RAISED, HEARD);
    }

    /**
     * Begins a submit: checks the length and fixes it, so that this length is posted.
     *
     * @throws IllegalStateException if the operation is in flight
     */
    final int fixLength() {
        int now = state;
        if (now == WAITING || now == POSTED) {
            throw new IllegalStateException("the operation is in flight: submit it again when it has ended");
        }
        length = request.buffer() == null ? lengthWithoutBuffer() : request.checkedLength();
        if (now == ENDED) {
            STATE.setRelease(this, NEW); // so that an abandon works while the path of a datagram is resolved
        }
        if (FlightRecorder.isInitialized()) { // else the event would initialise it, much of the start-up time
            watch();
        }
        return length;
    }

    /** Makes an operation that has ended ready for another submit. Nobody else uses it then. */
    final void renew() {
        if (state == ENDED) {
            STATE.setRelease(this, NEW);
        }
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

    /** Records the end as an event if the operation took long and a recording is enabled. */
    final void ended(QueuePair queuePair, boolean failed) {
        Extras more = extras;
        SlowOperationEvent event = more == null ? null : more.slow;
        if (event != null && event.shouldCommit()) {
            event.opcode = request.opcode().name();
            event.bytes = length;
            event.queuePair = queuePair.number();
            event.failed = failed;
            event.commit();
        }
    }

    /** Returns the present length in bytes of an operation whose request has no buffer, or several. */
    int lengthWithoutBuffer() {
        BufferList several = request.buffers();
        if (several == null) {
            return request.checkedLength();
        }
        int[] limits = several.limits();
        int bytes = request.checkedLength(BufferList.total(limits));
        extras().lengths = limits;
        return bytes;
    }

    /** Returns the length of each of several buffers, as fixed at the submit. */
    final int[] lengths() {
        return Objects.requireNonNull(extras().lengths);
    }

    /** Returns the length in bytes, as fixed at the submit. */
    final int length() {
        return length;
    }

    /** Sets the exposure of a large message, which the operation releases at its end. Before the submit. */
    final void expose(Exposure exposure) {
        extras().exposure = exposure;
    }

    private @Nullable Exposure exposure() {
        Extras more = extras;
        return more == null ? null : more.exposure;
    }

    /** Returns the memory from which the peer reads the message; null if the message itself is sent. */
    final @Nullable RemoteMemory exposed() {
        Exposure now = exposure();
        return now == null ? null : now.memory();
    }

    /** Returns whether the operation may be posted: false while its memory is registered for the peer. */
    final boolean isReady() {
        Exposure now = exposure();
        return now == null || now.isReady();
    }

    /** Returns the reason for which the message cannot be exposed, and so must end; null if there is none. */
    final @Nullable RuntimeException refusal() {
        Exposure now = exposure();
        return now == null ? null : now.refusal();
    }

    /** Handles that the message ends by its {@link #refusal}, before a message behind it is posted. Poster. */
    void refused() {}

    /** Sets the path of a datagram, which the operation holds from now on. Before the submit. */
    final void setPath(CachedAddress held) {
        extras().path = held;
    }

    /** Returns the path of a datagram; null for other operations. */
    final @Nullable CachedAddress path() {
        Extras more = extras;
        return more == null ? null : more.path;
    }

    /**
     * Borrows the buffer for the device.
     *
     * @param loop see {@link WorkRequest#borrow}
     * @return false if the operation was abandoned and its buffer dropped; nothing was borrowed then
     * @throws IllegalStateException if the buffer is closed or in conflicting use
     */
    final boolean borrow(@Nullable Object loop) {
        try {
            if (!isAbandoned()) {
                loopRead = request.borrow(loop);
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

    /** Fails an operation whose buffer is borrowed, but which cannot be submitted. The submitter gets no exception. */
    final void refuse(RuntimeException error) {
        ending();
        VarHandle.fullFence();
        fail(error);
    }

    /** Ends the use of the buffer by the device or the peer, then runs a task. Called once, at the end or cancel. */
    private void giveBack(Runnable then) {
        Extras more = extras;
        extras = null;
        Exposure exposure = null;
        if (more != null) {
            exposure = more.exposure;
            CachedAddress held = more.path;
            if (held != null) {
                held.release();
            }
        }
        if (exposure == null) {
            try {
                request.giveBack(loopRead);
            } finally {
                then.run();
            }
        } else {
            exposure.release(then);
        }
    }

    /** Gives back all that the submit took, after an abandon before the operation was posted or queued. */
    final void releaseUnposted() {
        giveBack(NOTHING);
    }

    /**
     * Returns whether the operation was abandoned. If it was not posted before, it never will be.
     *
     * @return true after the first {@link #abandon}
     */
    public final boolean isAbandoned() {
        return abandoned != DOWN;
    }

    /**
     * Marks the operation as waiting to be posted.
     *
     * @return false if it was abandoned before, and {@link #releaseUnposted} is due
     */
    final boolean markQueued() {
        state = WAITING;
        return abandoned == DOWN || !move(WAITING, CANCELLED); // an abandon that saw NEW leaves this to the submit
    }

    /**
     * Returns whether the operation must not be posted, because a stream that it is a part of was abandoned. The stream
     * abandons its operations one after the other. Meanwhile the poster must not post one behind an abandoned one.
     */
    boolean isWithdrawn() {
        return false;
    }

    /** Returns the number of messages of the application that the request carries. */
    int messages() {
        return 1;
    }

    /**
     * Marks a waiting operation as posted.
     *
     * @return false if it was abandoned while it waited
     */
    final boolean markPosted() {
        if (!isWithdrawn()) {
            return move(WAITING, POSTED);
        }
        // A thread that abandons it may have raised the flag, and not moved the state yet.
        if (!abandonSubmitted() && move(WAITING, CANCELLED)) {
            // A device that refuses to free the memory must not end the connection: only a stream was cancelled.
            new CloseSteps()
                    .run(this::releaseUnposted)
                    .log(Operation.class, "the memory of a message that was cancelled was not freed");
        }
        return false;
    }

    /**
     * Marks an operation as posted that did not wait in a queue.
     *
     * @return false if it was abandoned before, and {@link #releaseUnposted} is due
     */
    final boolean markPostedAtOnce() {
        if (abandoned != DOWN || isWithdrawn()) {
            return false;
        }
        STATE.setRelease(this, POSTED);
        return true;
    }

    /** Marks an operation of the engine's own as posted. It has no submit. */
    final void posting(int bytes) {
        length = bytes;
        STATE.setRelease(this, POSTED);
    }

    /**
     * Returns whether the operation waits for room, for the peer or for its submit. An {@link #abandon} now would keep
     * it from being posted.
     *
     * @return false once it is posted, or has ended otherwise
     */
    public final boolean isWaiting() {
        int now = state;
        return now == NEW || now == WAITING;
    }

    /** Returns whether the submit has got so far that the operation will end and give its buffer back. */
    final boolean isSubmitted() {
        return state != NEW;
    }

    /**
     * Returns whether {@link #completed} or {@link #failed} was or is being called.
     *
     * @return false also after an {@link #abandon}
     */
    protected final boolean isDone() {
        return state == ENDED && abandoned == DOWN;
    }

    /**
     * Marks the operation as ended. {@link #complete} or {@link #fail} must follow, after a full fence. Called by the
     * thread that ends the operation.
     */
    final void ending() {
        STATE.setRelease(this, ENDED);
    }

    /**
     * Marks a waiting operation as ended, see {@link #ending}.
     *
     * @return false if it was abandoned
     */
    final boolean tryEndWaiting() {
        return move(WAITING, ENDED);
    }

    final void complete(long value) {
        boolean wanted = isWanted();
        if (extras == null) { // the hot path allocates no closure
            try {
                request.giveBack(loopRead);
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
        boolean wanted = isWanted();
        if (extras == null) { // without memory for a closure, a failure ends its operation all the same
            try {
                request.giveBack(loopRead);
            } finally {
                if (wanted) {
                    failed(error);
                }
            }
        } else {
            giveBack(wanted ? () -> failed(error) : NOTHING);
        }
    }
}
