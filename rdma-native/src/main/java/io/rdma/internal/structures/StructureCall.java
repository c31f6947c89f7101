package io.rdma.internal.structures;

import io.rdma.internal.os.StackRoom;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - One step at a time is under way, so the fields of subclasses need no lock: each step happens before the next one.
// - The caller is told the end exactly once, or never if it has cancelled. `progress` decides. A step that throws after
// it ENDED the call, and before it told the result, fails the call.
// - A cancelled call ends before its next attempt. From its claim of a record on it goes on to the end of its change.

/**
 * One operation on a structure: a chain of steps, each of which begins when the one before it has ended.
 *
 * @param <T> type of the result
 */
public abstract class StructureCall<T> {
    private static final int AT_ONCE = 3;
    private static final long SHORTEST_PAUSE = 20_000;

    /** Attempts after which the pause grows no more: 1.28 ms. Calls may wait for months, so no more are counted. */
    static final int MOST_ATTEMPTS = 6;

    /**
     * The listener of one call. One of its methods is called once, on the completion loop or a thread of timers, or
     * before the start of the call returns.
     *
     * @param <T> type of the result
     */
    public interface Outcome<T> {
        /**
         * The operation has succeeded.
         *
         * @param value the result; null for none
         */
        void succeeded(@Nullable T value);

        /**
         * The operation has failed.
         *
         * @param error the reason
         */
        void failed(Throwable error);
    }

    private enum Progress {
        UNDER_WAY,
        ENDED,
        TOLD,
        CANCELLED
    }

    private static final Outcome<Object> IGNORED = new Outcome<>() {
        @Override
        public void succeeded(@Nullable Object value) {}

        @Override
        public void failed(Throwable error) {} // such as the end of the connection
    };

    final StructureAccess access;
    private final Outcome<? super T> outcome;
    private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.UNDER_WAY);
    int attempts;

    StructureCall(StructureAccess access, Outcome<? super T> outcome) {
        this.access = access;
        this.outcome = outcome;
    }

    /** Returns the listener of a call whose end nobody awaits. */
    static Outcome<Object> ignored() {
        return IGNORED;
    }

    /** Begins the first attempt, or another one. */
    abstract void attempt();

    /** Starts the call. */
    final StructureCall<T> start() {
        StackRoom.require(StackRoom.SIGNAL);
        guarded(this::attempt);
        return this;
    }

    /**
     * Ends the caller's interest: the outcome is not told, unless that has begun. A change that has not claimed its
     * record does not happen; otherwise it goes on to its end.
     */
    public final void cancel() {
        if (progress.compareAndSet(Progress.UNDER_WAY, Progress.CANCELLED)) {
            cancelled();
        }
    }

    /** Releases what only a call that goes on needs. Any thread. */
    void cancelled() {}

    /** Returns whether another attempt has no purpose. */
    final boolean isOver() {
        return progress.get() != Progress.UNDER_WAY;
    }

    /** Ends the call with a result. Returns false if it has ended before, so that nobody gets the result. */
    final boolean succeed(@Nullable T value) {
        boolean first = tryEnd();
        if (first) {
            tell(value);
        }
        return first;
    }

    /** Ends the call, unless it has ended. After true {@link #tell} must follow. */
    final boolean tryEnd() {
        return progress.compareAndSet(Progress.UNDER_WAY, Progress.ENDED);
    }

    final void tell(@Nullable T value) {
        if (progress.compareAndSet(Progress.ENDED, Progress.TOLD)) {
            outcome.succeeded(value);
        }
    }

    final void fail(Throwable error) {
        if (progress.compareAndSet(Progress.UNDER_WAY, Progress.TOLD)) {
            outcome.failed(error);
        }
    }

    /** Begins another attempt, at first at once, then after growing and random pauses. */
    final void again() {
        if (counted() < AT_ONCE) {
            attemptUnlessOver();
        } else {
            pause();
        }
    }

    /** Begins another attempt after a pause. */
    final void pause() {
        long pause = SHORTEST_PAUSE << counted();
        access.after(pause + access.random(pause), () -> guarded(this::attemptUnlessOver));
    }

    /** Counts an attempt, and returns the number of those before. */
    private int counted() {
        int before = attempts;
        attempts = Math.min(before + 1, MOST_ATTEMPTS);
        return before;
    }

    private void attemptUnlessOver() {
        if (!isOver()) {
            attempt();
        }
    }

    final void read(long offset, int length, Consumer<MemorySegment> then) {
        access.read(offset, length, bytes -> guarded(() -> then.accept(bytes)), this::fail);
    }

    final void load(long offset, LongConsumer then) {
        access.load(offset, word -> guarded(() -> then.accept(word)), this::fail);
    }

    final void compareAndSwap(long offset, long expected, long update, LongConsumer then) {
        access.compareAndSwap(offset, expected, update, old -> guarded(() -> then.accept(old)), this::fail);
    }

    final void fetchAndAdd(long offset, long addend, LongConsumer then) {
        access.fetchAndAdd(offset, addend, old -> guarded(() -> then.accept(old)), this::fail);
    }

    /**
     * Runs a step. An exception that it throws ends the call, because nothing else would. After a cancellation the
     * memory may have been closed, and then the exception interests nobody.
     */
    final void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            Progress now = progress.get();
            if (now == Progress.TOLD || now == Progress.CANCELLED && !(e instanceof IllegalStateException)) {
                throw e; // of the listener, or of a change that goes on: the thread that runs it logs it
            }
            fail(e);
            if (progress.compareAndSet(Progress.ENDED, Progress.TOLD)) {
                outcome.failed(e);
            }
        }
    }
}
