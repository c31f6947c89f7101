package io.rdma.samples.bench.calls;

import io.rdma.internal.ibv.Wc;

/** Polls of a completion queue that stays empty. */
public final class EmptyPoll extends Operation {
    private static final int BATCH = 500;

    /**
     * Creates a queue of its own.
     *
     * @param device opened
     */
    public EmptyPoll(CalledDevice device) {
        super("poll of an empty queue", 20, ProviderFunction.POLL_CQ, device.createCq(16), device.allocate(Wc.SIZE));
    }

    @Override
    public double batch(TimedCalls calls) {
        return timed(calls, BATCH, 1);
    }
}
