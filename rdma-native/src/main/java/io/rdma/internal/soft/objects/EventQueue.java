package io.rdma.internal.soft.objects;

import io.rdma.environment.Environment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A queue of events that threads wait for, with one remembered wake-up. Both are guarded by the lock. */
public final class EventQueue<T> {
    private final Environment environment;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<T> events = new ArrayDeque<>();
    private boolean woken;

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
            while (events.isEmpty() && !woken) {
                long left = timeoutMillis < 0 ? Long.MAX_VALUE : deadline - environment.nanoTime();
                if (left <= 0) {
                    break;
                }
                try {
                    changed.awaitNanos(left);
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
        lock.lock();
        try {
            while (events.isEmpty()) {
                changed.awaitUninterruptibly();
            }
            return events.remove();
        } finally {
            lock.unlock();
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
            int before = events.size();
            events.removeIf(which);
            return before - events.size();
        } finally {
            lock.unlock();
        }
    }
}
