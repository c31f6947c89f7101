package io.rdma.samples.bench.calls;

import io.rdma.internal.ffi.Wc;

/** Polling a completion queue that nothing completes on. */
public final class EmptyPoll extends Operation {
    private static final int BATCH = 500;
    private final long wc;

    /**
     * On a queue of its own.
     *
     * @param device opened
     */
    public EmptyPoll(CalledDevice device) {
        super(ProviderFunction.POLL_CQ, device.createCq(16));
        wc = device.allocate(Wc.SIZE);
    }

    @Override
    public String title() {
        return "poll of an empty queue";
    }

    @Override
    public int batches() {
        return 20;
    }

    @Override
    public double batch(TimedCalls calls) {
        return timed(calls, BATCH, 1, wc);
    }

    @Override
    void idle(TimedCalls calls, int count) {
        calls.nanos(count, object(), 1, wc);
    }
}
