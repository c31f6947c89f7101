package io.rdma.samples.learn;

import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.CompletionTimestamp;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GidTableEntry;
import io.rdma.verbs.GidType;
import io.rdma.verbs.LinkLayer;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.PostingInterface;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairCapacity;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.RdmaException;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SendChain;
import io.rdma.verbs.VerbsException;
import io.rdma.verbs.WorkCompletionException;
import io.rdma.verbs.WorkCompletionStatus;
import java.security.SecureRandom;

/** One side of a connection, made by hand: memory that the peer may use, a completion queue, a queue pair. */
final class Side implements AutoCloseable {
    static final int DEPTH = 128;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    final MemoryRegion memory;
    final CompletionQueue queue;
    final QueuePair pair;
    final SendChain sends = new SendChain(DEPTH, 1);
    final ReceiveChain receives = new ReceiveChain(DEPTH, 1);
    final CompletionBatch batch = new CompletionBatch(DEPTH);
    private final Steps steps;
    private final int psn = new SecureRandom().nextInt(1 << 24); // nobody may guess it
    private int awaited; // completions

    Side(DeviceContext context, ProtectionDomain domain, long bytes) {
        this(context, domain, bytes, PostingInterface.CLASSIC);
    }

    /** By one of the two interfaces of posting and polling, see {@link Interfaces}. */
    Side(DeviceContext context, ProtectionDomain domain, long bytes, PostingInterface way) {
        steps = new Steps(context);
        memory = domain.allocate(bytes, Steps.ALL);
        // An overrun would be the end: room for all that is posted.
        queue = context.createCompletionQueue(2 * DEPTH, null, way, CompletionTimestamp.NONE);
        QueuePairCapacity capacity = new QueuePairCapacity(DEPTH, DEPTH, 1, 1, 64);
        pair = domain.createQueuePair(QueuePairType.RC, queue, queue, null, capacity, way);
    }

    /** What the peer has to know; how it gets there is the application's affair. */
    Address address() {
        return steps.address(pair, psn, memory.remote());
    }

    /** By which address of ours: on Ethernet a routable one, which is never index 0 by rule. */
    static GidTableEntry gid(DeviceContext context) {
        boolean ethernet = context.queryPort(Steps.PORT).linkLayer() == LinkLayer.ETHERNET;
        return context.queryGidTable().stream()
                .filter(entry -> entry.port() == Steps.PORT && !entry.gid().isZero())
                .filter(entry -> !ethernet
                        || entry.type() == GidType.ROCE_V2 && !entry.gid().isLinkLocal())
                .findFirst()
                .orElseThrow(() -> new RdmaException(context.name() + " has no routable GID: see devinfo"));
    }

    /** RESET, INIT, RTR, RTS: see {@link BringUp}, which does it step by step. */
    void connect(Address peer) {
        pair.modify(init());
        pair.modify(readyToReceive(peer));
        pair.modify(readyToSend());
    }

    QueuePairAttributes init() {
        return steps.init();
    }

    QueuePairAttributes readyToReceive(Address peer) {
        return steps.readyToReceive(pair.type(), peer);
    }

    QueuePairAttributes readyToSend() {
        return steps.readyToSend(pair.type(), psn);
    }

    /** Posts a receive into the memory from an offset on. */
    void receive(long wrId, long offset, int bytes) {
        receives.clear();
        receives.add(wrId).entry(memory.segment().address() + offset, bytes, memory.lkey());
        posted("ibv_post_recv", pair.post(receives));
    }

    /** Posts what was put into {@link #sends}: one chain, one doorbell. */
    void post() {
        posted("ibv_post_send", pair.post(sends));
        sends.clear();
    }

    static void posted(String call, int result) {
        if (result != 0) {
            throw new VerbsException(call, -result, null);
        }
    }

    /** Waits for so many completions more; the last of them are in {@link #batch}. */
    void await(int completions) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        awaited += completions;
        while (awaited > 0) { // a poll may take more than are waited for: those count for the next time
            int polled = poll();
            awaited -= polled;
            if (System.nanoTime() - deadline > 0) {
                throw new RdmaException("nothing completes");
            }
            if (polled == 0) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Takes what has completed, and checks it.
     *
     * @return how many
     */
    int poll() {
        int polled = queue.poll(batch);
        if (polled < 0) {
            throw new RdmaException("the completion queue has overrun");
        }
        for (int i = 0; i < polled; i++) {
            if (batch.status(i) != 0) {
                throw new WorkCompletionException(
                        WorkCompletionStatus.of(batch.status(i)), null, batch.qpNumber(i), batch.vendorError(i));
            }
        }
        return polled;
    }

    @Override
    public void close() {
        pair.close();
        queue.close();
        memory.close();
    }
}
