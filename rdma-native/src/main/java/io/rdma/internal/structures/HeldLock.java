package io.rdma.internal.structures;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

// Invariants
// - The lease counts from before the compare-and-swap that began or renewed it. Another client counts from after it,
// and an eighth longer. So this client's lease is over first, unless their clocks run differently by so much.
// - `word` is what the lock has, as long as this client holds it. It is null from the release or the loss on.

/** A lock that a client holds, by one acquisition. Thread-safe. */
public final class HeldLock {
    private final StructureAccess access;
    private final long offset;
    private final long leaseNanos;
    private final long token;
    private @Nullable LockWord word; // guarded by this, as is since
    private long since;
    private boolean leaving; // from the call of release on, since another client may be next before that call has ended

    HeldLock(StructureAccess access, long offset, long leaseNanos, LockWord word, long since) {
        this.access = access;
        this.offset = offset;
        this.leaseNanos = leaseNanos;
        this.token = word.token();
        this.word = word;
        this.since = since;
    }

    /** Returns the fencing token: larger than those of all acquisitions of the lock before. */
    public long token() {
        return token;
    }

    /** Returns whether the lease is not over, by this client's clock, and was not lost, and no release has begun. */
    public synchronized boolean isHeld() {
        return !leaving && word != null && access.nanoTime() - since < leaseNanos;
    }

    /** Begins the lease anew. The result is whether the lock was still held. */
    public StructureCall<Boolean> renew(StructureCall.Outcome<? super Boolean> outcome) {
        return new Change(LockWord::renewed, outcome).start();
    }

    /** Releases the lock. The result is whether it was still held. */
    public StructureCall<Boolean> release(StructureCall.Outcome<? super Boolean> outcome) {
        synchronized (this) {
            leaving = true;
        }
        return new Change(LockWord::released, outcome).start();
    }

    /** Releases the lock. Nobody awaits the end. */
    public void drop() {
        release(StructureCall.ignored());
    }

    private synchronized @Nullable LockWord word() {
        return word;
    }

    private synchronized void changed(@Nullable LockWord now, long begun) {
        word = now == null || now.holder() == 0 ? null : now;
        since = begun;
    }

    /** A change of the word, if it is still that of this acquisition. */
    private final class Change extends StructureCall<Boolean> {
        private final UnaryOperator<LockWord> change;

        Change(UnaryOperator<LockWord> change, Outcome<? super Boolean> outcome) {
            super(HeldLock.this.access, outcome);
            this.change = change;
        }

        @Override
        void attempt() {
            LockWord expected = word();
            if (expected == null) {
                succeed(false);
                return;
            }
            LockWord update = change.apply(expected);
            long begun = access.nanoTime();
            compareAndSwap(offset, expected.bits(), update.bits(), old -> {
                LockWord found = new LockWord(old);
                if (found.equals(expected)) {
                    changed(update, begun);
                    succeed(true);
                } else if (found.isHeldAs(expected)) { // another call of this client was faster
                    again();
                } else {
                    changed(null, begun);
                    succeed(false);
                }
            });
        }
    }
}
