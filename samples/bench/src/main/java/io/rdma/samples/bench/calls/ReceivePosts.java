package io.rdma.samples.bench.calls;

import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.RecvWr;

/** Posts of receives, one by one, until the queue is full. The queue pair then goes to RESET, which removes them. */
public final class ReceivePosts extends Operation {
    private static final int PLACES = 256;
    private static final int BYTES = 64;

    private final CalledDevice device;
    private final Qp qp;
    private final long wr;

    /**
     * Creates a queue pair of its own, in INIT.
     *
     * @param device opened
     */
    public ReceivePosts(CalledDevice device) {
        this(device, device.createQp(device.createCq(16), 1, PLACES));
    }

    private ReceivePosts(CalledDevice device, Qp qp) {
        super("post of a receive", 20, ProviderFunction.POST_RECV, qp.handle(), device.allocate(Long.BYTES));
        this.device = device;
        this.qp = qp;
        wr = device.allocate(RecvWr.SIZE);
        long bytes = device.allocate(BYTES);
        Mr mr = device.register(bytes, BYTES);
        RecvWr.sgList(wr, device.sge(bytes, BYTES, mr));
        RecvWr.numSge(wr, 1);
        device.toInit(qp);
    }

    @Override
    public double batch(TimedCalls calls) {
        // Some devices grant more entries than fit, so the requested number is the limit.
        double nanos = timed(calls, Math.min(PLACES, qp.cap().maxRecvWr()), wr);
        device.toReset(qp);
        device.toInit(qp);
        return nanos;
    }
}
