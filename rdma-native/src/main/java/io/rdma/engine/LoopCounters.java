package io.rdma.engine;

import java.util.concurrent.atomic.LongAdder;

// Invariant: every count only grows. They are LongAdders because any thread may post.

/** Counters of a completion loop and its connections since the start. Any thread may read them at any time. */
public final class LoopCounters {
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
    private final LongAdder listenerErrors = new LongAdder();

    LoopCounters() {}

    void posted(int requests, int withSignal) {
        posted.add(requests);
        signaled.add(withSignal);
        doorbells.increment();
    }

    void polled(int entries) {
        polls.increment();
        if (entries == 0) {
            emptyPolls.increment();
        } else {
            completions.add(entries);
        }
    }

    void slept() {
        sleeps.increment();
    }

    void flush() {
        flushed.increment();
    }

    void reposted(int receives) {
        reposted.add(receives);
    }

    void starve() {
        starved.increment();
    }

    void creditWait() {
        creditWaits.increment();
    }

    void creditFrame() {
        creditFrames.increment();
    }

    void staleCompletion() {
        stale.increment();
    }

    void listenerError() {
        listenerErrors.increment();
    }

    /**
     * Returns the number of send work requests posted.
     *
     * @return work requests
     */
    public long posted() {
        return posted.sum();
    }

    /**
     * Returns the number of signaled ones among {@link #posted()}: those that ask for a completion.
     *
     * @return work requests
     */
    public long signaled() {
        return signaled.sum();
    }

    /**
     * Returns the number of posts of sends, one doorbell each.
     *
     * @return chains
     */
    public long doorbells() {
        return doorbells.sum();
    }

    /**
     * Returns the number of polls of completion queues.
     *
     * @return calls
     */
    public long polls() {
        return polls.sum();
    }

    /**
     * Returns the number of polls that found no completion.
     *
     * @return calls
     */
    public long emptyPolls() {
        return emptyPolls.sum();
    }

    /**
     * Returns how often the loop slept until it was woken.
     *
     * @return times
     */
    public long sleeps() {
        return sleeps.sum();
    }

    /**
     * Returns the number of completions polled.
     *
     * @return entries
     */
    public long completions() {
        return completions.sum();
    }

    /**
     * Returns the number of completions of requests that the device flushed because their queue pair was in ERR.
     *
     * @return entries
     */
    public long flushed() {
        return flushed.sum();
    }

    /**
     * Returns the number of receives posted again after their first use.
     *
     * @return work requests
     */
    public long reposted() {
        return reposted.sum();
    }

    /**
     * Returns how often a message used the last posted receive of a ring, the receives for control frames included.
     *
     * @return times
     */
    public long starved() {
        return starved.sum();
    }

    /**
     * Returns the number of messages that waited because the peer had no receive for them.
     *
     * @return messages
     */
    public long creditWaits() {
        return creditWaits.sum();
    }

    /**
     * Returns the number of frames that carried nothing but credits; included in {@link #posted()}.
     *
     * @return frames
     */
    public long creditFrames() {
        return creditFrames.sum();
    }

    /**
     * Returns the number of completions whose wr_id was not in flight: their queue pair had been destroyed before.
     *
     * @return entries
     */
    public long stale() {
        return stale.sum();
    }

    /**
     * Returns how often a listener threw.
     *
     * @return times
     */
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
                + ", credit frames " + creditFrames + ", listener errors " + listenerErrors;
    }
}
