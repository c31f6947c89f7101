package io.rdma.samples.bench.seam;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A completion channel: a queue of events, which are handles of completion queues, and one remembered wake-up. */
final class ImmediateChannel {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Queue<Long> events = new ArrayDeque<>();
    private boolean woken;

    void add(long cq) {
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

    boolean await(int timeoutMillis) {
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
            return false;
        } finally {
            lock.unlock();
        }
    }

    long take() {
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
}
