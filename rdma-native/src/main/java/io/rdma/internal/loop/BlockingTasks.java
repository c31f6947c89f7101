package io.rdma.internal.loop;

import io.rdma.environment.Environment;
import io.rdma.internal.close.CloseSteps;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

// Invariants
// - `threads` counts the threads that take tasks, at most MOST. A thread counts itself out when it finds no task, and
// then looks once more. A caller adds its task before it looks for a free place. So at least one of the two sees the
// task, and none is left.
// - A thread is counted out exactly once: by itself, or by the caller that could not start it.

/**
 * Tasks of the connections of one loop that may block, such as the registration of much memory. They begin in order, at
 * most {@value #MOST} at once, on threads that end when there is no task. So many connections that want memory at the
 * same time need few threads, and leave processors to others. Thread-safe.
 */
public final class BlockingTasks {
    /** Largest number of tasks that run at once. */
    public static final int MOST = 2;

    private record Task(String name, Runnable work) {}

    private final Environment environment;
    private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger threads = new AtomicInteger();

    /**
     * Creates the tasks of a loop.
     *
     * @param environment starts the threads
     */
    public BlockingTasks(Environment environment) {
        this.environment = environment;
    }

    /**
     * Runs a task on another thread, now or when one of those before it has ended. Any thread; does not wait.
     *
     * @param name name of the thread, if one has to be started
     * @param work handles its failures: what it throws is only logged
     * @throws RuntimeException if no thread can be started, and none runs: the task is not run then
     * @throws Error as for RuntimeException
     */
    public void execute(String name, Runnable work) {
        Task task = new Task(name, work);
        tasks.add(task);
        if (mayStart()) {
            AtomicBoolean counted = new AtomicBoolean(true);
            try {
                environment.start(name, () -> run(counted));
            } catch (Throwable e) { // no memory for a thread; it may run all the same
                if (counted.compareAndSet(true, false)) {
                    threads.decrementAndGet();
                }
                if (threads.get() == 0 && tasks.remove(task)) {
                    throw e;
                }
            }
        }
    }

    private boolean mayStart() {
        return threads.getAndUpdate(now -> Math.min(now + 1, MOST)) < MOST;
    }

    private void run(AtomicBoolean counted) {
        if (!counted.compareAndSet(true, false)) {
            return; // the caller has counted this thread out
        }
        do {
            Task next;
            while ((next = tasks.poll()) != null) {
                new CloseSteps().run(next.work::run).log(BlockingTasks.class, "a task has thrown: " + next.name);
            }
            threads.decrementAndGet();
        } while (!tasks.isEmpty() && mayStart());
    }
}
