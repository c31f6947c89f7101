package io.rdma.internal.structures;

import java.util.Objects;

/** Locks with leases, as one client uses them. Thread-safe. */
public final class LockClient {
    private final StructureAccess access;
    private final StructureHeader header;
    private final int writer;
    private final LockSightings sightings;

    LockClient(StructureAccess access, StructureHeader header, int writer) {
        this.access = access;
        this.header = header;
        this.writer = writer;
        this.sightings = new LockSightings(header.lease());
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
     * Acquires a lock if it is free, or if calls of this client have seen it held without a renewal for the lease and
     * an eighth of it. The result is null otherwise.
     *
     * @throws IndexOutOfBoundsException if there is no such lock
     */
    public StructureCall<HeldLock> tryAcquire(int index, StructureCall.Outcome<? super HeldLock> outcome) {
        return new Acquisition(Objects.checkIndex(index, count()), false, outcome).start();
    }

    private final class Acquisition extends StructureCall<HeldLock> {
        private final int index;
        private final long offset;
        private final boolean waits;

        Acquisition(int index, boolean waits, Outcome<? super HeldLock> outcome) {
            super(LockClient.this.access, outcome);
            this.index = index;
            this.offset = header.wordOffset(index);
            this.waits = waits;
        }

        @Override
        void attempt() {
            load(offset, old -> {
                LockWord word = new LockWord(old);
                if (sightings.isFree(index, word, access.nanoTime())) {
                    swap(word);
                } else if (waits) {
                    pause();
                } else {
                    succeed(null);
                }
            });
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
