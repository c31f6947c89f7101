package io.rdma.samples.simulation.schedule;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

// The JDK has virtual threads of a given executor for its own tests, and gives the executor a lambda expression that
// continues the thread. Both are internal, so this class alone knows them.

/** The simulated threads of a simulation, which are virtual threads that a scheduler runs. */
final class Tasks {
    private static final String REMEDY =
            "A simulation needs JDK 25, started with --add-opens java.base/java.lang=ALL-UNNAMED";
    private static final Constructor<?> BUILDER = builder();
    private static volatile @Nullable Field threadOfStep;

    private final Map<Thread, Task> tasks = new HashMap<>();

    private static Constructor<?> builder() {
        try {
            Constructor<?> found = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder")
                    .getDeclaredConstructor(Executor.class);
            found.setAccessible(true);
            return found;
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IllegalStateException(REMEDY, e);
        }
    }

    /** Returns a builder of threads that an executor runs. */
    static Thread.Builder.OfVirtual threads(Executor executor) {
        try {
            return (Thread.Builder.OfVirtual) BUILDER.newInstance(executor);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(REMEDY, e);
        }
    }

    /** Returns the thread that a step continues. Any thread may call this. */
    static Thread thread(Runnable step) {
        try {
            Field field = threadOfStep;
            if (field == null || field.getDeclaringClass() != step.getClass()) {
                field = step.getClass().getDeclaredFields()[0];
                field.setAccessible(true);
                threadOfStep = field;
            }
            return (Thread) field.get(step);
        } catch (ReflectiveOperationException | InaccessibleObjectException e) {
            throw new IllegalStateException(REMEDY, e);
        }
    }

    /**
     * Returns the thread that a step continues.
     *
     * @param starter owner of a thread that is new
     */
    Task of(Runnable step, Owner starter) {
        Thread thread = thread(step);
        Task known = tasks.get(thread);
        if (known == null) {
            known = new Task(tasks.size(), starter, thread);
            tasks.put(thread, known);
        }
        return known;
    }

    boolean isDead(Thread thread) {
        Task task = tasks.get(thread);
        return task != null && !task.owner().isAlive();
    }

    /** Returns the threads that have not ended, in the order of their starts. */
    List<Task> alive() {
        return tasks.values().stream()
                .filter(Task::isAlive)
                .sorted(Comparator.comparingInt(Task::number))
                .toList();
    }
}
