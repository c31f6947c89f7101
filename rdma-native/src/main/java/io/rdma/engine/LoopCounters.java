package io.rdma.engine;

import java.util.concurrent.atomic.LongAdder;

/** Counters of a completion loop; monotonic, read by anybody. */
public final class LoopCounters {
    private final LongAdder posted = new LongAdder();
    private final LongAdder doorbells = new LongAdder();
    private final LongAdder completions = new LongAdder();
    private final LongAdder creditFrames = new LongAdder();
    private final LongAdder stale = new LongAdder();
    private final LongAdder listenerErrors = new LongAdder();

    LoopCounters() {}

    void posted(int count) {
        posted.add(count);
        doorbells.increment();
    }

    void completions(int count) {
        completions.add(count);
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
     * Sends posted.
     *
     * @return work requests
     */
    public long posted() {
        return posted.sum();
    }

    /**
     * Posts of sends.
     *
     * @return chains
     */
    public long doorbells() {
        return doorbells.sum();
    }

    /**
     * Completions polled.
     *
     * @return entries
     */
    public long completions() {
        return completions.sum();
    }

    /**
     * Frames that carried nothing but credits.
     *
     * @return frames, contained in {@link #posted}
     */
    public long creditFrames() {
        return creditFrames.sum();
    }

    /**
     * Completions whose wr_id was not in flight: of a queue pair that was destroyed before.
     *
     * @return entries
     */
    public long stale() {
        return stale.sum();
    }

    /**
     * Listeners that threw.
     *
     * @return times
     */
    public long listenerErrors() {
        return listenerErrors.sum();
    }
}
