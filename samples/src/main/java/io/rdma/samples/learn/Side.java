package io.rdma.samples.learn;

import io.rdma.types.CompletionTimestamp;
import io.rdma.types.PostingInterface;
import io.rdma.types.QueuePairCapacity;
import io.rdma.types.RdmaException;
import io.rdma.types.VerbsException;
import io.rdma.types.WorkCompletionException;
import io.rdma.types.WorkCompletionStatus;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.CompletionQueue;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairAttributes;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.SendChain;
import java.security.SecureRandom;

/** One side of a connection, set up step by step: memory that the peer may use, a completion queue and a queue pair. */
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
    private final int psn = new SecureRandom().nextInt(1 << 24); // random, so that it cannot be guessed
    private int awaited; // completions

    Side(DeviceContext context, ProtectionDomain domain, long bytes) {
        this(context, domain, bytes, PostingInterface.CLASSIC);
    }

    /** Creates a side that uses one of the two interfaces of posting and polling, see {@link Interfaces}. */
    Side(DeviceContext context, ProtectionDomain domain, long bytes, PostingInterface way) {
        steps = new Steps(context);
        memory = domain.allocate(bytes, Steps.ALL);
        // There is room for all posted requests, since an overrun would be fatal.
        queue = context.createCompletionQueue(2 * DEPTH, null, way, CompletionTimestamp.NONE);
        QueuePairCapacity capacity = new QueuePairCapacity(DEPTH, DEPTH, 1, 1, 64);
        pair = domain.createQueuePair(QueuePairType.RC, queue, queue, null, capacity, way);
    }

    /** Returns the address for the peer. The application decides how to send it. */
    Address address() {
        return steps.address(pair, psn, memory.remote());
    }

    /** Connects the queue pair from RESET by INIT and RTR to RTS. {@link BringUp} does it step by step. */
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

    /** Posts a receive into the memory at an offset. */
    void receive(long wrId, long offset, int bytes) {
        receives.clear();
        receives.add(wrId).entry(memory.segment().address() + offset, bytes, memory.lkey());
        posted("ibv_post_recv", pair.post(receives));
    }

    /** Posts the requests in {@link #sends} as one chain, with one doorbell. */
    void post() {
        posted("ibv_post_send", pair.post(sends));
        sends.clear();
    }

    static void posted(String call, int result) {
        if (result != 0) {
            throw new VerbsException(call, -result, null);
        }
    }

    /** Waits for a number of further completions. The last of them are in {@link #batch}. */
    void await(int completions) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        awaited += completions;
        while (awaited > 0) { // a poll may return more than are awaited: they count for the next call
            int polled = poll();
            awaited -= polled;
            if (System.nanoTime() - deadline > 0) {
                throw new RdmaException("no completion within " + PATIENCE_NANOS / 1_000_000_000 + " s");
            }
            if (polled == 0) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Polls for completions, and checks their status.
     *
     * @return number of completions
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
