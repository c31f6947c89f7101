package io.rdma.samples.bench.calls;

import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Mr;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Wc;
import io.rdma.types.RdmaException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;

/** Posts of RDMA writes of 8 bytes, each after the previous one has completed. */
public final class WritePosts extends Operation {
    private static final int BYTES = 8;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final CalledDevice device;
    private final long cq;
    private final long wr;
    private final long wc;

    /**
     * Creates a queue pair that is its own peer.
     *
     * @param device opened
     */
    public WritePosts(CalledDevice device) {
        this(device, device.createCq(16));
    }

    private WritePosts(CalledDevice device, long cq) {
        this(device, cq, device.createQp(cq, 16, 1));
    }

    private WritePosts(CalledDevice device, long cq, Qp qp) {
        super("post of a write", 100, ProviderFunction.POST_SEND, qp.handle(), device.allocate(Long.BYTES));
        this.device = device;
        this.cq = cq;
        wr = device.allocate(SendWr.SIZE);
        wc = device.allocate(Wc.SIZE);
        long bytes = device.allocate(2 * BYTES);
        Mr mr = device.register(bytes, 2 * BYTES);
        SendWr.sgList(wr, device.sge(bytes, BYTES, mr));
        SendWr.numSge(wr, 1);
        SendWr.opcode(wr, Ibv.WR_RDMA_WRITE);
        SendWr.sendFlags(wr, Ibv.SEND_SIGNALED);
        SendWr.rdmaRemoteAddr(wr, bytes + BYTES);
        SendWr.rdmaRkey(wr, mr.rkey());
        device.toInit(qp);
        device.connectToItself(qp);
    }

    @Override
    public double batch(TimedCalls calls) {
        double nanos = timed(calls, 1, wr);
        awaitCompletion();
        return nanos;
    }

    private void awaitCompletion() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        int polled;
        while ((polled = device.verbs().pollCq(cq, 1, wc)) == 0) {
            if (System.nanoTime() - deadline > 0) {
                throw new RdmaException("no completion within " + PATIENCE_NANOS / 1_000_000_000 + " s");
            }
            Thread.yield(); // a software device needs the processor
        }
        if (polled < 0) {
            throw new RdmaException("the completion queue has overrun");
        }
        if (Wc.status(wc) != 0) {
            throw new WorkCompletionException(
                    WorkCompletionStatus.of(Wc.status(wc)), null, Wc.qpNum(wc), Wc.vendorErr(wc));
        }
    }
}
