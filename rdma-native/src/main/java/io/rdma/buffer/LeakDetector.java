package io.rdma.buffer;

import java.lang.System.Logger;
import java.lang.ref.Cleaner;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

// Invariants
// - A Trace never refers to the handle that it watches; otherwise the handle would never become unreachable.
// - A closed handle is forgotten at once. A handle that becomes unreachable while open is reported exactly once.

/**
 * Detector of leases that were never closed. A {@link RegisteredBuffer} or {@link ReceivedMessage} that becomes
 * unreachable while it is open is reported as an error to {@link System.Logger}, with the place where it was leased
 * and, if paranoid, its last uses. Its memory does not return to its pool, since only the application knows where else
 * it passed that memory. The system property {@code io.rdma.leakDetection} selects how many leases are watched: {@code
 * off}, {@code sampled} (about one of 128, the default), or {@code paranoid} (all of them; for tests, as it costs a
 * stack trace per lease). If paranoid, each message has a handle of its own, even one that is lent to a decoder, so any
 * use after the decoder returned fails.
 */
public final class LeakDetector {
    /** The share of leases that is watched. */
    private enum Level {
        OFF,
        SAMPLED,
        PARANOID
    }

    private static final int SAMPLE = 128;
    private static final int BREADCRUMBS = 4;
    private static final Level LEVEL = level(System.getProperty("io.rdma.leakDetection", "sampled"));
    private static final @Nullable Cleaner CLEANER = LEVEL == Level.OFF ? null : Cleaner.create();
    private static final LongAdder REPORTED = new LongAdder();
    private static int leases; // racy on purpose: it only spreads the samples

    private LeakDetector() {}

    private static Level level(String name) {
        try {
            return Level.valueOf(name.strip().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            log().log(
                            Logger.Level.WARNING,
                            "io.rdma.leakDetection must be off, sampled or paranoid, not '" + name
                                    + "'; sampled is used");
            return Level.SAMPLED;
        }
    }

    /**
     * Returns the number of leaks found so far.
     *
     * @return handles that became unreachable while they were open
     */
    public static long reported() {
        return REPORTED.sum();
    }

    /** Returns whether every stale use of a handle must be detected, at any cost. */
    static boolean isParanoid() {
        return LEVEL == Level.PARANOID;
    }

    /**
     * Starts to watch a new handle.
     *
     * @return null if this one is not watched
     */
    static @Nullable Trace watch(Object handle, String what) {
        Cleaner cleaner = CLEANER;
        if (cleaner == null || LEVEL == Level.SAMPLED && ++leases % SAMPLE != 0) {
            return null;
        }
        Trace trace = new Trace(what);
        trace.cleanable = cleaner.register(handle, trace);
        return trace;
    }

    /** The history of one handle. */
    static final class Trace implements Runnable {
        private final Throwable leased;
        private final ArrayDeque<Throwable> touched = new ArrayDeque<>(BREADCRUMBS);
        private Cleaner.@Nullable Cleanable cleanable;
        private volatile boolean closed;

        private Trace(String what) {
            leased = new Throwable(what + " was leased here");
        }

        /** Records a use of the handle. */
        void touch(String how) {
            if (LEVEL != Level.PARANOID) {
                return;
            }
            synchronized (touched) {
                if (touched.size() == BREADCRUMBS) {
                    touched.removeFirst();
                }
                touched.addLast(new Throwable(how));
            }
        }

        void close() {
            closed = true;
            Cleaner.Cleanable registered = cleanable;
            if (registered != null) {
                registered.clean();
            }
        }

        /** Reports a leak if the handle became unreachable while open; the cleaner also runs this at a close. */
        @Override
        public void run() {
            if (closed) {
                return;
            }
            synchronized (touched) {
                touched.forEach(leased::addSuppressed);
            }
            log().log(
                            Logger.Level.ERROR,
                            "LEAK: a handle became unreachable without close(); its memory is lost to its pool. Run with"
                                    + " -Dio.rdma.leakDetection=paranoid to watch every handle and its last uses",
                            leased);
            REPORTED.increment(); // after the log: a reader of the count finds the log entry
        }
    }

    private static Logger log() {
        return System.getLogger(LeakDetector.class.getName());
    }
}
