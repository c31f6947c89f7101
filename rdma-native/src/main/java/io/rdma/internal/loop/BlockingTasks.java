package io.rdma.internal.loop;

import io.rdma.environment.Environment;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - `threads` counts the threads that take tasks, at most `most`. A thread counts itself out when it finds no task, and
// then looks once more. A caller adds its task before it looks for a free place. So at least one of the two sees the
// task, and none is left.
// - A thread is counted out exactly once: by itself, or by the caller that could not start it. A caller that counts the
// last one out owns the tasks that are left, also those of callers that found no free place: it starts a thread for
// them, or refuses them.
// - No code of the application runs on a counted thread, as it could wait for another task. The one exception is a JVM
// without memory for a thread.
// - A counted thread allocates nothing that it would be lost for: a task brings all that is run after it.

/**
 * Tasks of the connections of one loop that may block, such as the registration of much memory. They begin in order, at
 * most a fixed number at once, on threads that end when there is no task. So many connections that want memory at the
 * same time need few threads, and leave processors to others. Thread-safe.
 */
public final class BlockingTasks {
    /** One task. Exactly one of {@link #run} and {@link #refused} is called. */
    public interface Task {
        /** Does what may block. Calls no code of the application. What it throws is only logged. */
        void run();

        /**
         * Goes on after {@link #run}, also if that has thrown. Runs on a thread of its own, and may call code of the
         * application. What it throws is only logged.
         */
        void goOn();

        /**
         * Handles that no thread can be started, and none runs. May be called on the thread of another caller.
         *
         * @param reason why there is no thread
         */
        void refused(Throwable reason);
    }

    private final class Entry {
        private final String name;
        private final Task task;
        private final Runnable next = this::goOn; // made here, because memory may be short when it is needed

        Entry(String name, Task task) {
            this.name = name;
            this.task = task;
        }

        void run() {
            try {
                task.run();
            } catch (Throwable e) {
                logged(e);
            }
            environment.startOrRun(name, next);
        }

        private void goOn() {
            try {
                task.goOn();
            } catch (Throwable e) {
                logged(e);
            }
        }

        void refuse(Throwable reason) {
            try {
                task.refused(reason);
            } catch (Throwable e) { // others are to be refused as well
                logged(e);
            }
        }

        private void logged(Throwable thrown) {
            try {
                System.getLogger(BlockingTasks.class.getName()).log(Level.ERROR, "a task has thrown: " + name, thrown);
            } catch (Throwable e) { // no memory for that: the thread must go on
            }
        }
    }

    private final Environment environment;
    private final int most;
    private final Queue<Entry> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger threads = new AtomicInteger();

    /**
     * Creates the tasks of a loop.
     *
     * @param environment starts the threads
     * @param most largest number of tasks that run at once
     */
    public BlockingTasks(Environment environment, int most) {
        this.environment = environment;
        this.most = most;
    }

    /**
     * Runs a task on another thread, now or when one of those before it has ended. Any thread; does not wait.
     *
     * @param name name of the thread, if one has to be started
     * @param task task, which is refused if no thread can be started, and none runs
     */
    public void execute(String name, Task task) {
        try {
            tasks.add(new Entry(name, task));
        } catch (Throwable e) { // no memory
            task.refused(e);
            return;
        }
        if (!mayStart()) {
            return;
        }
        if (start(name) == null || tasks.isEmpty() || !mayStart()) {
            return;
        }
        Throwable failure = start(name); // other callers may have relied on the first one
        if (failure != null) {
            refuseAll(failure);
        }
    }

    private void refuseAll(Throwable reason) {
        Entry left;
        while (threads.get() == 0 && (left = tasks.poll()) != null) {
            left.refuse(reason);
        }
    }

    private boolean mayStart() {
        return threads.getAndUpdate(now -> Math.min(now + 1, most)) < most;
    }

    /**
     * Starts a counted thread.
     *
     * @return the failure, if this was the last counted thread, and nobody takes the tasks; else null
     */
    private @Nullable Throwable start(String name) {
        AtomicBoolean counted = null;
        try {
            AtomicBoolean mine = new AtomicBoolean(true);
            counted = mine;
            environment.start(name, () -> run(mine));
            return null;
        } catch (Throwable e) { // no memory for a thread; it may run all the same
            boolean out = counted == null || counted.compareAndSet(true, false);
            return out && threads.decrementAndGet() == 0 ? e : null;
        }
    }

    private void run(AtomicBoolean counted) {
        if (!counted.compareAndSet(true, false)) {
            return; // the caller has counted this thread out
        }
        do {
            Entry next;
            while ((next = tasks.poll()) != null) {
                next.run();
            }
            threads.decrementAndGet();
        } while (!tasks.isEmpty() && mayStart());
    }
}
