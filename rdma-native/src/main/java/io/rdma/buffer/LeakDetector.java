package io.rdma.buffer;

import java.lang.System.Logger;
import java.lang.ref.Cleaner;
import java.util.ArrayDeque;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

// Invariants
// - A Trace never refers to the handle it watches, or the handle would never become unreachable.
// - A handle that is closed is forgotten at once; one that becomes unreachable open is reported exactly once.

/**
 * Finds leases that nobody closed: a {@link RegisteredBuffer} or {@link ReceivedMessage} that became unreachable while
 * it was open is reported as an error to {@link System.Logger}, with the place where it was leased and, if paranoid,
 * what was done with it last. Its memory stays out of its pool: only the program knows what else it gave it to. How
 * many are watched is the system property {@code io.rdma.leakDetection}: {@code off}, {@code sampled} (about one of
 * 128, the default), or {@code paranoid} (all; for tests, it costs a stack trace per lease). Paranoid, each message has
 * a handle of its own, also one that is lent to a decoder: so a use of it after the decoder returned always fails.
 */
public final class LeakDetector {
    /** How many leases are watched. */
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
                            "io.rdma.leakDetection is off, sampled or paranoid, not '" + name + "': sampled it is");
            return Level.SAMPLED;
        }
    }

    /**
     * How many leaks were found so far.
     *
     * @return handles that became unreachable while they were open
     */
    public static long reported() {
        return REPORTED.sum();
    }

    /** Whether no stale use of a handle is to be missed, whatever it costs. */
    static boolean isParanoid() {
        return LEVEL == Level.PARANOID;
    }

    /**
     * Watches a handle that was just made.
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

    /** What is known of one handle. */
    static final class Trace implements Runnable {
        private final Throwable leased;
        private final ArrayDeque<Throwable> touched = new ArrayDeque<>(BREADCRUMBS);
        private Cleaner.@Nullable Cleanable cleanable;
        private volatile boolean closed;

        private Trace(String what) {
            leased = new Throwable(what + " was leased here");
        }

        /** Something is done with the handle. */
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

        /** The handle is unreachable, or was closed. */
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
                            "LEAK: a handle was dropped without close(); its memory is lost to its pool. Run with"
                                    + " -Dio.rdma.leakDetection=paranoid to see all of them, with what was done last",
                            leased);
            REPORTED.increment(); // after the log: who sees the number finds the story
        }
    }

    private static Logger log() {
        return System.getLogger(LeakDetector.class.getName());
    }
}
