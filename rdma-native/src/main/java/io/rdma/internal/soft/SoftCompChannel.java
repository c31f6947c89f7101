package io.rdma.internal.soft;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A completion channel: a queue of events and one remembered wake-up, both guarded by the lock. */
final class SoftCompChannel extends SoftObject {
    final SoftContext context;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<SoftCq> events = new ArrayDeque<>();
    private boolean woken;

    SoftCompChannel(SoftContext context) {
        this.context = context;
    }

    void add(SoftCq cq) {
        lock.lock();
        try {
            events.add(cq);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void wake() {
        lock.lock();
        try {
            woken = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean poll(int timeoutMillis) {
        lock.lock();
        try {
            long left = timeoutMillis < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            while (events.isEmpty() && !woken && left > 0) {
                left = changed.awaitNanos(left);
            }
            woken = false;
            return !events.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !events.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    SoftCq take() {
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

    /** Drops events that nobody took. @return how many */
    int forget(SoftCq cq) {
        lock.lock();
        try {
            int before = events.size();
            events.removeIf(e -> e == cq);
            return before - events.size();
        } finally {
            lock.unlock();
        }
    }
}
