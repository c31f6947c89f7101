package io.rdma.samples.bench.calls;

import io.rdma.verbs.VerbsException;

/** A use of one of the functions, again and again on the same queue. */
public abstract class Operation {
    private static final int WARM_UPS = 2_000;
    private static final int WARM_UP_CALLS = 16;

    private final String title;
    private final int batches;
    private final ProviderFunction function;
    private final long object;
    private final long third;

    /** @param third argument of each call, where the function writes to */
    Operation(String title, int batches, ProviderFunction function, long object, long third) {
        this.title = title;
        this.batches = batches;
        this.function = function;
        this.object = object;
        this.third = third;
    }

    /**
     * As figures name it.
     *
     * @return in English
     */
    public final String title() {
        return title;
    }

    /**
     * How many batches make a round: each style in turn makes one of them.
     *
     * @return fewer where one takes long
     */
    public final int batches() {
        return batches;
    }

    /**
     * Makes the calls that are timed together, then brings the queue back to where it was before them.
     *
     * @param calls in some style
     * @return nanoseconds for each
     */
    public abstract double batch(TimedCalls calls);

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
     * Makes so many calls, which change nothing, that the compilers take the next step, the longest of which takes
     * several hundred of many loops each.
     *
     * @param calls in some style
     */
    public void warmUp(TimedCalls calls) {
        for (int i = 0; i < WARM_UPS; i++) {
            calls.nanos(WARM_UP_CALLS, object, function.nothing(), third);
        }
    }

    /** The time of each of so many calls, all of which succeeded. */
    double timed(TimedCalls calls, int count, long second) {
        long nanos = calls.nanos(count, object, second, third);
        if (calls.failure() != 0) {
            throw new VerbsException(function.call(), calls.failure(), null);
        }
        return (double) nanos / count;
    }
}
