package io.rdma.internal.soft.transport;

import io.rdma.internal.soft.objects.SoftPd;
import io.rdma.internal.soft.wire.Psn;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

// Invariants (device thread)
// - Jobs are sorted by PSN and do not overlap: the peer can use responses in that order only.
// - At most `depth` jobs are new reads and atomics, and at most `depth` are repeated ones. Those without a result to
// keep or bytes to read, of Placement, hold nothing of the device, and rdma_rxe sends any number of them: they have a
// bound of their own. So repeats, which the network may also cause or delay, never take the room of new requests.
// - The results of the last `depth` atomics are kept. The peer cannot have more in flight, nor repeat an older one.

/**
 * The reads, atomics and requests of {@link Placement} that a responder has yet to answer, and the results of recent
 * atomics for repeats.
 */
final class AnswerQueue {
    /** A read or atomic to answer. */
    static final class Job {
        boolean fresh;
        boolean atomic;
        boolean empty;
        int psn;
        int packets;
        int sent;
        long address;
        long length;
        int rkey;

        @Nullable
        SoftPd pd; // of a read

        long original;
    }

    /** Most answers without bytes. */
    static final int MOST_EMPTY = 256;

    private static final Job[] NO_JOBS = {};

    private final int depth;
    // The first `size` are to be answered; the others are spare. Most peers write and send only, so jobs are made when
    // they are needed.
    private Job[] jobs = NO_JOBS;
    private int size;
    private int fresh; // without the empty ones
    private int empty; // fresh ones
    private int[] resultPsns = {};
    private long[] results = {};
    private long resultsKept; // in total

    /**
     * Creates an empty queue.
     *
     * @param depth number of reads and atomics that the peer may have in flight
     */
    AnswerQueue(int depth) {
        this.depth = depth;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns the next job to answer. The queue must not be empty. */
    Job first() {
        return jobs[0];
    }

    void removeFirst() {
        Job done = jobs[0];
        if (done.fresh) {
            fresh -= done.empty ? 0 : 1;
            empty -= done.empty ? 1 : 0;
        }
        System.arraycopy(jobs, 1, jobs, 0, --size);
        jobs[size] = done;
    }

    void clear() {
        size = 0;
        fresh = 0;
        empty = 0;
    }

    /**
     * Adds a job in the order of PSNs.
     *
     * @return the job, whose other fields the caller sets, or null if the peer exceeds its limit
     */
    @Nullable
    Job add(boolean isFresh, boolean atomic, int psn, int packets) {
        if ((isFresh ? fresh : size - fresh - empty) >= depth) {
            return null;
        }
        Job job = insert(psn, packets);
        fresh += isFresh ? 1 : 0;
        job.fresh = isFresh;
        job.atomic = atomic;
        return job;
    }

    private Job insert(int psn, int packets) {
        int at = size;
        while (at > 0 && Psn.diff(jobs[at - 1].psn, psn) > 0) {
            at--;
        }
        if (size == jobs.length) {
            addSpare();
        }
        Job job = jobs[size];
        System.arraycopy(jobs, at, jobs, at + 1, size++ - at);
        jobs[at] = job;
        job.empty = false;
        job.psn = psn;
        job.packets = packets;
        job.sent = 0;
        return job;
    }

    /** Returns whether there is room for a new request whose answer has no bytes. */
    boolean hasRoomForEmpty() {
        return empty < MOST_EMPTY;
    }

    /** Adds a job whose answer is a read response without bytes: a FLUSH or ATOMIC WRITE that was executed. */
    void addEmpty(boolean isFresh, int psn) {
        Job job = isFresh ? insert(psn, 1) : add(false, false, psn, 1);
        if (job != null) { // a repeat may have no room
            job.fresh = isFresh;
            job.atomic = false;
            job.empty = isFresh;
            job.length = 0;
            empty += isFresh ? 1 : 0;
        }
    }

    private void addSpare() {
        int length = Math.max(1, 2 * jobs.length);
        Job[] more = Arrays.copyOf(jobs, length);
        for (int i = jobs.length; i < length; i++) {
            more[i] = new Job();
        }
        jobs = more;
    }

    /** Returns whether a job covers a PSN. If the job has already sent that response, rewinds the job to it. */
    boolean repeats(int psn) {
        for (int i = 0; i < size; i++) {
            Job job = jobs[i];
            int at = Psn.diff(psn, job.psn);
            if (at >= 0 && at < job.packets) {
                job.sent = Math.min(job.sent, at);
                return true;
            }
        }
        return false;
    }

    /** Keeps the result of an atomic. */
    void keep(int psn, long original) {
        if (results.length == 0) {
            resultPsns = new int[depth];
            results = new long[depth];
        }
        int at = (int) (resultsKept++ % depth);
        resultPsns[at] = psn;
        results[at] = original;
    }

    /** Answers a repeated atomic, if its result is still kept. */
    void repeatAtomic(int psn) {
        long oldest = Math.max(0, resultsKept - depth);
        for (long i = resultsKept - 1; i >= oldest; i--) {
            int at = (int) (i % depth);
            if (resultPsns[at] == psn) {
                Job job = repeats(psn) ? null : add(false, true, psn, 1);
                if (job != null) {
                    job.original = results[at];
                }
                return;
            }
        }
    }
}
