package io.rdma.samples.bench.calls;

import io.rdma.internal.ffi.Mr;
import io.rdma.internal.ffi.Qp;
import io.rdma.internal.ffi.RecvWr;
import io.rdma.internal.ffi.Sge;

/** Posting receives one by one, as many as there are places; then all are taken back by way of RESET. */
public final class ReceivePosts extends Operation {
    private static final int PLACES = 256;
    private static final int BYTES = 64;

    private final CalledDevice device;
    private final Qp qp;
    private final long wr;
    private final long badWr;

    /**
     * On a queue pair of its own, in INIT.
     *
     * @param device opened
     */
    public ReceivePosts(CalledDevice device) {
        this(device, device.createQp(device.createCq(16), 1, PLACES));
    }

    private ReceivePosts(CalledDevice device, Qp qp) {
        super(ProviderFunction.POST_RECV, qp.handle());
        this.device = device;
        this.qp = qp;
        wr = device.allocate(RecvWr.SIZE);
        badWr = device.allocate(Long.BYTES);
        long bytes = device.allocate(BYTES);
        Mr mr = device.register(bytes, BYTES);
        long sge = device.allocate(Sge.SIZE);
        Sge.addr(sge, bytes);
        Sge.length(sge, BYTES);
        Sge.lkey(sge, mr.lkey());
        RecvWr.sgList(wr, sge);
        RecvWr.numSge(wr, 1);
        device.toInit(qp);
    }

    @Override
    public String title() {
        return "post of a receive";
    }

    @Override
    public int batches() {
        return 20;
    }

    @Override
    public double batch(TimedCalls calls) {
        // Not as many as were granted, which on some devices is more than fits.
        double nanos = timed(calls, Math.min(PLACES, qp.cap().maxRecvWr()), wr, badWr);
        device.toReset(qp);
        device.toInit(qp);
        return nanos;
    }

    /** A chain without a request: some providers return EINVAL, none does anything. */
    @Override
    void idle(TimedCalls calls, int count) {
        calls.nanos(count, object(), 0, badWr);
    }
}
