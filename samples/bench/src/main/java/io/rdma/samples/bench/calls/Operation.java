package io.rdma.samples.bench.calls;

import io.rdma.types.VerbsException;

/** A repeated use of one of the functions on the same queue. */
public abstract class Operation {
    private static final int WARM_UPS = 2_000;
    private static final int WARM_UP_CALLS = 16;

    private final String title;
    private final int batches;
    private final ProviderFunction function;
    private final long object;
    private final long third;

    /**
     * Creates an operation.
     *
     * @param third argument of each call, to which the function writes
     */
    Operation(String title, int batches, ProviderFunction function, long object, long third) {
        this.title = title;
        this.batches = batches;
        this.function = function;
        this.object = object;
        this.third = third;
    }

    /**
     * Returns the name of the operation in figures.
     *
     * @return in English
     */
    public final String title() {
        return title;
    }

    /**
     * Returns the number of batches in a round. The styles take turns, with one batch each.
     *
     * @return fewer if a batch takes long
     */
    public final int batches() {
        return batches;
    }

    /**
     * Makes the calls that are timed together, then restores the queue to its state before them.
     *
     * @param calls in some style
     * @return nanoseconds of each call
     */
    public abstract double batch(TimedCalls calls);

    /**
     * Returns the calls of this operation in a style.
     *
     * @param style of the calls
     * @return not yet warmed up
     */
    public TimedCalls in(CallingStyle style) {
        return TimedCalls.of(style, function, object);
    }

    /**
     * Makes enough calls without effect that the JIT compilers reach the next tier. The longest step takes several
     * hundred calls with many iterations each.
     *
     * @param calls in some style
     */
    public void warmUp(TimedCalls calls) {
        for (int i = 0; i < WARM_UPS; i++) {
            calls.nanos(WARM_UP_CALLS, object, function.nothing(), third);
        }
    }

    /** Returns the time of each of a number of calls, all of which succeeded. */
    double timed(TimedCalls calls, int count, long second) {
        long nanos = calls.nanos(count, object, second, third);
        if (calls.failure() != 0) {
            throw new VerbsException(function.call(), calls.failure(), null);
        }
        return (double) nanos / count;
    }
}
