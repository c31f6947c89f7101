package io.rdma.internal.soft.transport;

import io.rdma.environment.Environment;
import io.rdma.internal.soft.objects.Access;
import org.jspecify.annotations.Nullable;

// Invariants
// - All but the call of `Sync` is on the device thread. `done` publishes `succeeded`.
// - A queue pair has at most one thread that writes, whatever its peer sends.

/**
 * Write of a FLUSH for persistence to a file. It can take seconds, so a thread of its own does it, and the peer repeats
 * the request meanwhile.
 */
final class FileFlush {
    /** Writer of a range of memory to its files. */
    @FunctionalInterface
    interface Sync {
        /**
         * Writes the range.
         *
         * @return false if that failed
         */
        boolean write(long address, long bytes);
    }

    private static final int NO_PSN = -1;
    private static final int FIRST_RNR_TIMER = 12; // 0.64 ms; each second number is twice as long
    private static final int RNR_TIMERS = 32;
    private static final int LONGEST_RNR_TIMER = 0;
    private static final int LOG_MEGABYTE = 20;
    private static final int LATER = 4;

    private final Environment environment;
    private final Sync sync;
    private @Nullable Task task;
    private int asked;

    private static final class Task {
        private final long address;
        private final long bytes;
        private int psn;
        private boolean succeeded;
        private volatile boolean done;

        Task(int psn, long address, long bytes) {
            this.psn = psn;
            this.address = address;
            this.bytes = bytes;
        }

        private boolean is(int otherPsn, long otherAddress, long otherBytes) {
            return psn == otherPsn && address == otherAddress && bytes == otherBytes;
        }

        private void run(Sync sync) {
            try {
                succeeded = sync.write(address, bytes);
            } finally {
                done = true;
            }
        }
    }

    FileFlush(Environment environment, Sync sync) {
        this.environment = environment;
        this.sync = sync;
    }

    /** Forgets the request that is under way. Its write goes on, and tells nothing about a later one. */
    void reset() {
        Task now = task;
        if (now != null) {
            now.psn = NO_PSN;
        }
    }

    /**
     * Begins the write of a request, or looks for its end.
     *
     * @return {@code PAGE_FAULT} while it is not done: the request is to be repeated
     */
    Access ask(int psn, long address, long bytes) {
        Task now = task;
        if (now != null && !now.done) {
            asked++;
            return Access.PAGE_FAULT;
        }
        task = null;
        if (now != null && now.is(psn, address, bytes)) {
            return now.succeeded ? Access.DONE : Access.REFUSED;
        }
        Task begun = new Task(psn, address, bytes);
        asked = 0;
        try {
            environment.newThread("rdma-soft0-flush", () -> begun.run(sync)).start();
            task = begun;
        } catch (OutOfMemoryError e) { // no thread now: the peer asks again
            asked = RNR_TIMERS;
        }
        return Access.PAGE_FAULT;
    }

    /**
     * Returns the RNR timer after which the peer repeats the request. It grows with the bytes and with each look, so
     * that the few retries that a peer may have suffice for a slow disk.
     */
    int rnrTimer(long bytes) {
        int doubled = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(bytes) - LOG_MEGABYTE);
        long timer = FIRST_RNR_TIMER + 2L * doubled + (long) LATER * asked;
        return timer < RNR_TIMERS ? (int) timer : LONGEST_RNR_TIMER;
    }
}
