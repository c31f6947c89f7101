package io.rdma.samples.simulation.shrink;

/** Bound of a search: a number of runs, and a time. */
public final class Budget {
    private final long most;
    private final long nanos;
    private final long began = System.nanoTime();
    private long taken;

    /**
     * @param runs most runs
     * @param nanos time after which no run begins
     */
    public Budget(long runs, long nanos) {
        most = runs;
        this.nanos = nanos;
    }

    /** Returns whether another run may begin. */
    boolean isLeft() {
        return taken < most && System.nanoTime() - began < nanos;
    }

    /** Counts a run, if there is one left. */
    boolean take() {
        boolean left = isLeft();
        taken += left ? 1 : 0;
        return left;
    }

    /** Returns the number of runs so far. */
    public long taken() {
        return taken;
    }
}
