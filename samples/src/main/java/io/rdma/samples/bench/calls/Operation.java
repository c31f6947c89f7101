package io.rdma.samples.bench.calls;

import io.rdma.verbs.VerbsException;

/** A use of one of the functions, again and again on the same queue. */
public abstract class Operation {
    private static final int WARM_UPS = 2_000;
    private static final int WARM_UP_CALLS = 16;

    private final ProviderFunction function;
    private final long object;

    Operation(ProviderFunction function, long object) {
        this.function = function;
        this.object = object;
    }

    /**
     * As figures name it.
     *
     * @return in English
     */
    public abstract String title();

    /**
     * How many batches make a round: each style in turn makes one of them.
     *
     * @return fewer where one takes long
     */
    public abstract int batches();

    /**
     * Makes the calls that are timed together, then brings the queue back to where it was before them.
     *
     * @param calls in some style
     * @return nanoseconds for each
     */
    public abstract double batch(TimedCalls calls);

    /** Calls that change nothing, for the compilers. */
    abstract void idle(TimedCalls calls, int count);

    /**
     * Its calls in a style.
     *
     * @param style of them
     * @return not yet warm
     */
    public TimedCalls in(CallingStyle style) {
        return TimedCalls.of(style, function, object);
    }

    /**
     * Makes so many calls that the compilers take the next step, the longest of which takes several hundred of many loops each.
     *
     * @param calls in some style
     */
    public void warmUp(TimedCalls calls) {
        for (int i = 0; i < WARM_UPS; i++) {
            idle(calls, WARM_UP_CALLS);
        }
    }

    long object() {
        return object;
    }

    /** The time of each of so many calls, all of which succeeded. */
    double timed(TimedCalls calls, int count, long second, long third) {
        long nanos = calls.nanos(count, object, second, third);
        if (calls.failure() != 0) {
            throw new VerbsException(function.call(), calls.failure(), null);
        }
        return (double) nanos / count;
    }
}
