package io.rdma.internal.os;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

// On Linux a thread begins on the processors of the thread that starts it. Carriers of virtual threads, and threads of
// the common pool, are started by whichever thread first gives them work. So a thread that was moved leaves its place
// while it starts others.

/** Processors of a thread that was moved to some of them, which the threads that it starts shall not inherit. */
public final class ThreadPlace {
    private static final ThreadLocal<@Nullable ThreadPlace> OF_THREAD = new ThreadLocal<>();

    private final BitSet before;
    private final BitSet now;

    private ThreadPlace(BitSet before, BitSet now) {
        this.before = before;
        this.now = now;
    }

    /**
     * Moves the calling thread to these processors.
     *
     * @return 0, or a negative errno, see {@link Processors#restrictThisThread}
     */
    public static int enter(BitSet processors) {
        BitSet before = Processors.ofThisThread();
        int result = Processors.restrictThisThread(processors);
        if (result >= 0 && !before.isEmpty()) {
            OF_THREAD.set(new ThreadPlace(before, (BitSet) processors.clone()));
        }
        return result;
    }

    /** Returns a task for a new thread: it begins where the calling thread was before it was moved. */
    public static Runnable elsewhere(Runnable task) {
        ThreadPlace place = OF_THREAD.get();
        return place == null
                ? task
                : () -> {
                    Processors.restrictThisThread(place.before);
                    task.run();
                };
    }

    /** Runs an action that may start threads, which get the processors that the calling thread had in the beginning. */
    public static void leaveFor(Runnable action) {
        ThreadPlace place = OF_THREAD.get();
        if (place == null) {
            action.run();
            return;
        }
        Processors.restrictThisThread(place.before);
        try {
            action.run();
        } finally {
            Processors.restrictThisThread(place.now);
        }
    }
}
