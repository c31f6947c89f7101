package io.rdma.internal.loop;

import io.rdma.engine.LoopCounters;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

// Invariants
// - Every count only grows.
// - A count has two parts, since any thread may post. The driver of the loop alone adds to one of them, by an opaque
// store, which costs as much as a plain one. All other threads add to a LongAdder. So no addition is lost.
// - The driver is set before the first step of the loop, and stays the same.

/** The counts of one loop, as its connections write them. */
public final class LoopCounts implements LoopCounters {
    private static final class Count {
        private final AtomicLong byDriver = new AtomicLong();
        private final LongAdder byOthers = new LongAdder();

        void add(long more, boolean isDriver) {
            if (isDriver) {
                byDriver.setOpaque(byDriver.getPlain() + more);
            } else {
                byOthers.add(more);
            }
        }

        long sum() {
            return byDriver.getOpaque() + byOthers.sum();
        }

        @Override
        public String toString() {
            return String.valueOf(sum());
        }
    }

    private final Count posted = new Count();
    private final Count signaled = new Count();
    private final Count doorbells = new Count();
    private final Count polls = new Count();
    private final Count emptyPolls = new Count();
    private final Count sleeps = new Count();
    private final Count completions = new Count();
    private final Count flushed = new Count();
    private final Count reposted = new Count();
    private final Count starved = new Count();
    private final Count creditWaits = new Count();
    private final Count creditFrames = new Count();
    private final Count stale = new Count();
    private final Count malformed = new Count();
    private final Count lost = new Count();
    private final Count migrations = new Count();
    private final Count listenerErrors = new Count();
    private volatile @Nullable Thread driver;

    /** Creates counts that are 0. */
    public LoopCounts() {}

    /** Sets the thread that drives the loop. */
    void drivenBy(Thread thread) {
        driver = thread;
    }

    private boolean isDriver() {
        return Thread.currentThread() == driver;
    }

    private void count(Count one) {
        one.add(1, isDriver());
    }

    public void posted(int requests, int withSignal) {
        boolean isDriver = isDriver();
        posted.add(requests, isDriver);
        signaled.add(withSignal, isDriver);
        doorbells.add(1, isDriver);
    }

    /** Counts a poll. Driver. */
    void polled(int entries) {
        polls.add(1, true);
        if (entries == 0) {
            emptyPolls.add(1, true);
        } else {
            completions.add(entries, true);
        }
    }

    public void slept() {
        count(sleeps);
    }

    public void flush() {
        count(flushed);
    }

    public void reposted(int receives) {
        reposted.add(receives, isDriver());
    }

    public void starve() {
        count(starved);
    }

    public void creditWait() {
        count(creditWaits);
    }

    public void creditFrame() {
        count(creditFrames);
    }

    public void staleCompletion() {
        count(stale);
    }

    public void malformedDatagram() {
        count(malformed);
    }

    public void lost(long messages) {
        lost.add(messages, isDriver());
    }

    public void migration() {
        count(migrations);
    }

    public void listenerError() {
        count(listenerErrors);
    }

    @Override
    public long posted() {
        return posted.sum();
    }

    @Override
    public long signaled() {
        return signaled.sum();
    }

    @Override
    public long doorbells() {
        return doorbells.sum();
    }

    @Override
    public long polls() {
        return polls.sum();
    }

    @Override
    public long emptyPolls() {
        return emptyPolls.sum();
    }

    @Override
    public long sleeps() {
        return sleeps.sum();
    }

    @Override
    public long completions() {
        return completions.sum();
    }

    @Override
    public long flushed() {
        return flushed.sum();
    }

    @Override
    public long reposted() {
        return reposted.sum();
    }

    @Override
    public long starved() {
        return starved.sum();
    }

    @Override
    public long creditWaits() {
        return creditWaits.sum();
    }

    @Override
    public long creditFrames() {
        return creditFrames.sum();
    }

    @Override
    public long stale() {
        return stale.sum();
    }

    @Override
    public long malformed() {
        return malformed.sum();
    }

    @Override
    public long lost() {
        return lost.sum();
    }

    @Override
    public long migrations() {
        return migrations.sum();
    }

    @Override
    public long listenerErrors() {
        return listenerErrors.sum();
    }

    @Override
    public String toString() {
        return "posted " + posted + " (signaled " + signaled + ", doorbells " + doorbells + "), polls " + polls
                + " (empty "
                + emptyPolls + "), sleeps " + sleeps + ", completed " + completions + " (flushed " + flushed
                + ", stale "
                + stale + "), reposted " + reposted + ", starved " + starved + ", waited for credits " + creditWaits
                + ", credit frames " + creditFrames + ", malformed datagrams " + malformed + ", lost messages " + lost
                + ", migrations "
                + migrations + ", listener errors " + listenerErrors;
    }
}
