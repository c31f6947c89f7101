package io.rdma.internal.structures;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Locks with leases, as one client uses them. Thread-safe. */
public final class LockClient {
    private static final int MARGIN = 8;

    private final StructureAccess access;
    private final StructureHeader header;
    private final int writer;

    LockClient(StructureAccess access, StructureHeader header, int writer) {
        this.access = access;
        this.header = header;
        this.writer = writer;
    }

    /** Returns the number of locks. */
    public int count() {
        return header.count();
    }

    /**
     * Acquires a lock. Waits until it is released, or has not been renewed for the lease and an eighth of it. A call
     * that is cancelled releases what it acquires.
     *
     * @throws IndexOutOfBoundsException if there is no such lock
     */
    public StructureCall<HeldLock> acquire(int index, StructureCall.Outcome<? super HeldLock> outcome) {
        return new Acquisition(Objects.checkIndex(index, count()), true, outcome).start();
    }

    /**
     * Acquires a lock if it is free. The result is null otherwise.
     *
     * @throws IndexOutOfBoundsException if there is no such lock
     */
    public StructureCall<HeldLock> tryAcquire(int index, StructureCall.Outcome<? super HeldLock> outcome) {
        return new Acquisition(Objects.checkIndex(index, count()), false, outcome).start();
    }

    private final class Acquisition extends StructureCall<HeldLock> {
        private final long offset;
        private final boolean waits;
        private @Nullable LockWord observed;
        private long observedAt;

        Acquisition(int index, boolean waits, Outcome<? super HeldLock> outcome) {
            super(LockClient.this.access, outcome);
            this.offset = header.wordOffset(index);
            this.waits = waits;
        }

        @Override
        void attempt() {
            fetchAndAdd(offset, 0, old -> {
                LockWord word = new LockWord(old);
                if (word.holder() == 0 || isExpired(word)) {
                    swap(word);
                } else if (waits) {
                    pause();
                } else {
                    succeed(null);
                }
            });
        }

        private boolean isExpired(LockWord word) {
            long now = access.nanoTime();
            if (!word.equals(observed)) {
                observed = word;
                observedAt = now;
            }
            long lease = header.lease().toNanos();
            return now - observedAt > lease + lease / MARGIN;
        }

        private void swap(LockWord word) {
            if (isOver()) {
                return;
            }
            LockWord acquired = word.acquiredBy(writer);
            long begun = access.nanoTime();
            compareAndSwap(offset, word.bits(), acquired.bits(), old -> {
                if (old != word.bits()) {
                    again();
                    return;
                }
                HeldLock held = new HeldLock(access, offset, header.lease().toNanos(), acquired, begun);
                if (!succeed(held)) {
                    held.drop();
                }
            });
        }
    }
}
