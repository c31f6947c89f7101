package io.rdma.samples.simulation.schedule;

import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Task that the scheduler runs at a time, unless it is cancelled before. */
public final class Timer implements Future<Object>, Comparable<Timer> {
    private final long due;
    private final long number; // place among those of one time
    private final Owner owner;
    private @Nullable Runnable task;
    private boolean cancelled;

    Timer(long due, long number, Owner owner, Runnable task) {
        this.due = due;
        this.number = number;
        this.owner = owner;
        this.task = task;
    }

    long due() {
        return due;
    }

    @Override
    public int compareTo(Timer other) {
        return due == other.due ? Long.compare(number, other.number) : Long.compare(due, other.due);
    }

    Owner owner() {
        return owner;
    }

    boolean isPending() {
        return task != null && owner.isAlive();
    }

    void fire() {
        Runnable now = task;
        task = null;
        if (now != null) {
            now.run();
        }
    }

    @Override
    public boolean cancel(boolean interrupt) {
        cancelled |= task != null;
        task = null;
        return cancelled;
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public boolean isDone() {
        return task == null;
    }

    /** Never waits: a task of the scheduler has no result. */
    @Override
    public Object get() {
        throw new CancellationException("A timer has no result");
    }

    @Override
    public Object get(long timeout, TimeUnit unit) {
        return get();
    }
}
