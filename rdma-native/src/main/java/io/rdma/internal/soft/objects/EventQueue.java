package io.rdma.internal.soft.objects;

import io.rdma.environment.Environment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A queue of events that threads wait for, with one remembered wake-up. A thread finds an event of {@link #addLater}
 * once its time has come. The lock guards all of it.
 */
public final class EventQueue<T> {
    private final Environment environment;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<T> events = new ArrayDeque<>();
    private final ArrayDeque<Later<T>> later = new ArrayDeque<>();
    private boolean woken;

    /** An event, and the time from which on it can be taken. */
    private record Later<T>(T event, long at) {}

    public EventQueue(Environment environment) {
        this.environment = environment;
    }

    public void add(T event) {
        lock.lock();
        try {
            events.add(event);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds an event that can be taken after a time.
     *
     * @param nanos from now
     */
    public void addLater(T event, long nanos) {
        lock.lock();
        try {
            later.add(new Later<>(event, environment.nanoTime() + nanos));
            changed.signalAll(); // a thread that waits must not sleep past that time
        } finally {
            lock.unlock();
        }
    }

    /** Makes an event of {@link #addLater} one that can be taken now, unless it is one already. */
    public void expedite(T event) {
        lock.lock();
        try {
            if (later.removeIf(each -> each.event == event)) {
                events.add(event);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the time of an event of {@link #addLater} has not come yet. */
    public boolean isLater(T event) {
        lock.lock();
        try {
            untilNext(); // moves those whose time has come
            return later.stream().anyMatch(each -> each.event == event);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Moves the later events whose time has come to the others. Under the lock.
     *
     * @return nanoseconds until the next of them; 0 if there is an event, {@link Long#MAX_VALUE} if there is none
     */
    private long untilNext() {
        long next = Long.MAX_VALUE;
        if (!later.isEmpty()) {
            long now = environment.nanoTime();
            for (Later<T> each : later) {
                if (each.at - now <= 0) {
                    events.add(each.event);
                } else {
                    next = Math.min(next, each.at - now);
                }
            }
            later.removeIf(each -> each.at - now <= 0);
        }
        return events.isEmpty() ? next : 0;
    }

    public void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for an event or a wake-up, as {@code poll(2)} does. Interrupts do not end the wait, since a thread whose
     * interrupt status stays set could otherwise never wait again. The interrupt status is restored.
     *
     * @return whether there is an event
     */
    public boolean await(int timeoutMillis) {
        boolean interrupted = false;
        lock.lock();
        try {
            long deadline = environment.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            long next;
            while ((next = untilNext()) != 0 && !woken) {
                long left = timeoutMillis < 0 ? Long.MAX_VALUE : deadline - environment.nanoTime();
                if (left <= 0) {
                    break;
                }
                try {
                    changed.awaitNanos(Math.min(left, next));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            woken = false;
            return !events.isEmpty();
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Takes an event. Blocks while there is none. */
    public T take() {
        boolean interrupted = false;
        lock.lock();
        try {
            long next;
            while ((next = untilNext()) != 0) {
                try {
                    changed.awaitNanos(next);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return events.remove();
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Takes an event without blocking.
     *
     * @return null if there is none
     */
    @Nullable
    public T poll() {
        lock.lock();
        try {
            untilNext();
            return events.poll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes matching events, to move them to another queue.
     *
     * @return the removed events in their order
     */
    public List<T> remove(Predicate<T> which) {
        lock.lock();
        try {
            List<T> removed = events.stream().filter(which).toList();
            events.removeIf(which);
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops matching events that were not taken.
     *
     * @return the number of dropped events
     */
    public int forget(Predicate<T> which) {
        lock.lock();
        try {
            int before = events.size() + later.size();
            events.removeIf(which);
            later.removeIf(each -> which.test(each.event));
            return before - events.size() - later.size();
        } finally {
            lock.unlock();
        }
    }
}
