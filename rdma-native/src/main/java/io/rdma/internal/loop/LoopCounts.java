package io.rdma.internal.loop;

import io.rdma.engine.LoopCounters;
import java.util.concurrent.atomic.LongAdder;

// Invariant: every count only grows. They are LongAdders because any thread may post.

/** The counts of one loop, as its connections write them. */
public final class LoopCounts implements LoopCounters {
    private final LongAdder posted = new LongAdder();
    private final LongAdder signaled = new LongAdder();
    private final LongAdder doorbells = new LongAdder();
    private final LongAdder polls = new LongAdder();
    private final LongAdder emptyPolls = new LongAdder();
    private final LongAdder sleeps = new LongAdder();
    private final LongAdder completions = new LongAdder();
    private final LongAdder flushed = new LongAdder();
    private final LongAdder reposted = new LongAdder();
    private final LongAdder starved = new LongAdder();
    private final LongAdder creditWaits = new LongAdder();
    private final LongAdder creditFrames = new LongAdder();
    private final LongAdder stale = new LongAdder();
    private final LongAdder malformed = new LongAdder();
    private final LongAdder listenerErrors = new LongAdder();

    /** Creates counts that are 0. */
    public LoopCounts() {}

    public void posted(int requests, int withSignal) {
        posted.add(requests);
        signaled.add(withSignal);
        doorbells.increment();
    }

    public void polled(int entries) {
        polls.increment();
        if (entries == 0) {
            emptyPolls.increment();
        } else {
            completions.add(entries);
        }
    }

    public void slept() {
        sleeps.increment();
    }

    public void flush() {
        flushed.increment();
    }

    public void reposted(int receives) {
        reposted.add(receives);
    }

    public void starve() {
        starved.increment();
    }

    public void creditWait() {
        creditWaits.increment();
    }

    public void creditFrame() {
        creditFrames.increment();
    }

    public void staleCompletion() {
        stale.increment();
    }

    public void malformedDatagram() {
        malformed.increment();
    }

    public void listenerError() {
        listenerErrors.increment();
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
                + ", credit frames " + creditFrames + ", malformed datagrams " + malformed + ", listener errors "
                + listenerErrors;
    }
}
