package io.rdma.samples.bench.engine;

import io.rdma.internal.ffi.Verbs;
import io.rdma.internal.ibv.Cq;
import io.rdma.internal.ibv.Ibv;
import io.rdma.internal.ibv.Qp;
import io.rdma.internal.ibv.QpAttr;
import io.rdma.internal.ibv.QpCap;
import io.rdma.internal.ibv.QpInitAttr;
import io.rdma.internal.ibv.SendWr;
import io.rdma.internal.ibv.Sge;
import io.rdma.internal.ibv.Wc;
import io.rdma.samples.bench.seam.Devices;
import io.rdma.samples.bench.seam.ImmediateVerbs;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

// The yardstick: a program that calls verbs itself and does nothing else, with the same requests, depth, chains and
// signaling as the engine. Its only record of the requests in flight is two counters.

/** A benchmark that fills the same requests as the engine, posts them in chains, and polls; nothing else. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class BareLoop {
    private static final int CHAIN = 32;
    private static final int BATCH = 64;

    private Verbs verbs = new ImmediateVerbs();
    private Arena arena = Arena.ofShared();
    private MemorySegment memory = MemorySegment.NULL;
    private long requests;
    private long entries;
    private long completions;
    private long badWr;
    private long data;
    private int key;
    private long qp;
    private long cq;

    /** Opens the device. */
    @Setup
    public void open() {
        verbs = Devices.open();
        arena = Arena.ofShared();
        long context = verbs.openDevice("immediate0");
        long domain = verbs.allocPd(context);
        Cq queue = verbs.createCq(context, 2 * Seam.DEPTH, 0, 0);
        cq = queue.handle();
        Qp pair = verbs.createQp(
                domain, new QpInitAttr(cq, cq, 0, new QpCap(Seam.DEPTH, Seam.DEPTH, 2, 2, 64), Ibv.QPT_RC, false));
        qp = pair.handle();
        verbs.modifyQp(qp, ready(pair.qpNum()), Ibv.QP_STATE | Ibv.QP_DEST_QPN);
        long bytes = (long) CHAIN * (SendWr.SIZE + 2 * Sge.SIZE) + (long) BATCH * Wc.SIZE + 64 + 2 * Seam.BYTES;
        memory = arena.allocate(bytes, 64);
        requests = memory.address();
        entries = requests + (long) CHAIN * SendWr.SIZE;
        completions = entries + (long) CHAIN * 2 * Sge.SIZE;
        badWr = completions + (long) BATCH * Wc.SIZE;
        data = badWr + 64;
        key = verbs.regMr(domain, data, 2 * Seam.BYTES, data, Ibv.ACCESS_LOCAL_WRITE | Ibv.ACCESS_REMOTE_WRITE)
                .lkey();
        for (int i = 0; i < CHAIN; i++) {
            SendWr.sgList(requests + (long) i * SendWr.SIZE, entries + (long) i * 2 * Sge.SIZE);
        }
    }

    private static QpAttr ready(int itself) {
        QpCap none = new QpCap(0, 0, 0, 0, 0);
        return new QpAttr(
                Ibv.QPS_RTS, 0, 0, 0, 0, 0, 0, itself, 0, none, null, 0, false, false, 0, 0, 0, 1, 0, 0, 0, null);
    }

    /** Closes the device. */
    @TearDown
    public void close() {
        verbs.destroyQp(qp);
        verbs.destroyCq(cq);
        arena.close();
    }

    /**
     * Performs {@link Seam#BATCH} writes of 64 bytes, with {@link Seam#DEPTH} in flight, in chains whose last request
     * is signaled.
     */
    @Benchmark
    @OperationsPerInvocation(Seam.BATCH)
    public void writes(Counted counted) {
        counted.before();
        int posted = 0;
        int completed = 0;
        while (completed < Seam.BATCH) {
            while (posted < Seam.BATCH && posted - completed <= Seam.DEPTH - CHAIN) {
                fill(posted);
                int result = verbs.postSend(qp, requests, badWr);
                if (result != 0) {
                    throw new IllegalStateException("ibv_post_send: errno " + -result);
                }
                posted += CHAIN;
            }
            int polled = verbs.pollCq(cq, BATCH, completions);
            for (int i = 0; i < polled; i++) {
                long wc = completions + (long) i * Wc.SIZE;
                if (Wc.status(wc) != Ibv.WC_SUCCESS) {
                    throw new IllegalStateException("a write failed with status " + Wc.status(wc));
                }
                completed = (int) Wc.wrId(wc) + 1;
            }
        }
        counted.after();
    }

    private void fill(int first) {
        for (int i = 0; i < CHAIN; i++) {
            long wr = requests + (long) i * SendWr.SIZE;
            long sge = entries + (long) i * 2 * Sge.SIZE;
            boolean last = i == CHAIN - 1;
            SendWr.wrId(wr, first + i);
            SendWr.next(wr, last ? 0 : wr + SendWr.SIZE);
            SendWr.numSge(wr, 1);
            SendWr.opcode(wr, Ibv.WR_RDMA_WRITE);
            SendWr.sendFlags(wr, last ? Ibv.SEND_INLINE | Ibv.SEND_SIGNALED : Ibv.SEND_INLINE);
            SendWr.immData(wr, 0);
            SendWr.rdmaRemoteAddr(wr, data + Seam.BYTES);
            SendWr.rdmaRkey(wr, key);
            Sge.addr(sge, data);
            Sge.length(sge, Seam.BYTES);
            Sge.lkey(sge, key);
        }
    }
}
