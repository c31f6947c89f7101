package io.rdma.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - A slot is in exactly one place: posted to the device, in `arrived`, with the application (an open ReceivedMessage),
// or in `returned`.
// - The loop thread alone fills `arrived`; one consumer at a time empties it. It never overflows: it is as large as the
// ring.
// - The device always keeps receives while the application gives buffers back: they are re-posted in batches, but at
// once when half the ring is out.
// - Each open message holds the region, so its memory outlives the connection.

/** The receive side of one queue pair: a ring of buffers, posted ahead, and posted again when the application gives them back. */
public final class ReceiveQueue {
    private static final int MAX_BATCH = 16;

    private final RdmaEndpoint endpoint;
    private final QueuePair queuePair;
    private final InFlightTable table;
    private final MemoryRegion region;
    private final int count;
    private final int size;
    private final int batch;
    private final int base;
    private final MemorySegment[] buffers;
    private final SpscVarHandleArrayQueue<ReceivedMessage> arrived;
    private final MpscVarHandleArrayQueue<Integer> returned;
    private final Integer[] boxed;
    private final ReceiveChain chain;
    private final AtomicInteger wip = new AtomicInteger();
    private final AtomicInteger posted = new AtomicInteger();
    private volatile @Nullable Runnable listener;
    private volatile boolean closed;
    private volatile boolean terminated;

    ReceiveQueue(
            RdmaEndpoint endpoint,
            QueuePair queuePair,
            InFlightTable table,
            MemoryRegion region,
            EndpointOptions options) {
        this.endpoint = endpoint;
        this.queuePair = queuePair;
        this.table = table;
        this.region = region;
        this.count = options.receiveBuffers();
        this.size = options.receiveBufferSize();
        this.batch = Math.max(1, Math.min(MAX_BATCH, count / 4));
        this.arrived = new SpscVarHandleArrayQueue<>(Math.max(4, count));
        this.returned = new MpscVarHandleArrayQueue<>(Math.max(2, count));
        this.chain = new ReceiveChain(Math.min(count, 64), 1);
        this.buffers = new MemorySegment[count];
        this.boxed = new Integer[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = region.segment().asSlice((long) i * size, size);
            boxed[i] = i;
        }
        this.base = table.reserve(count, this::completed);
        if (base < 0) {
            throw new IllegalStateException("completion queue has no room for " + count + " receives more: "
                    + table.free() + " entries are left");
        }
    }

    /** Posts the whole ring; the queue pair is in INIT or later, before the peer may send. */
    void postAll() {
        for (Integer slot : boxed) {
            returned.add(slot);
        }
        repost(1);
    }

    /** Receives that the device holds now. */
    int posted() {
        return posted.get();
    }

    /**
     * How many messages are with the application, or wait for it.
     *
     * @return 0 when nothing is out
     */
    public int outstanding() {
        return count - posted.get() - returned.size();
    }

    /**
     * The next message that arrived. One consumer at a time.
     *
     * @return a lease to be closed, or null when none waits
     */
    public @Nullable ReceivedMessage poll() {
        return arrived.poll();
    }

    /**
     * Whether no message waits to be polled.
     *
     * @return true if so now
     */
    public boolean isEmpty() {
        return arrived.isEmpty();
    }

    /**
     * Whether no message will arrive any more; those that wait can still be polled.
     *
     * @return true after the connection ended
     */
    public boolean isTerminated() {
        return terminated;
    }

    /**
     * Sets who is told that a message arrived or that the queue terminated; the listener also runs at once. It runs on the loop and must not block.
     *
     * @param onChange told after every change; null for nobody
     */
    public void listener(@Nullable Runnable onChange) {
        listener = onChange;
        changed();
    }

    private void changed() {
        Runnable current = listener;
        if (current != null) {
            try {
                current.run();
            } catch (Throwable t) { // a listener's mistake must not end the loop
                endpoint.loop().listenerThrew(t);
            }
        }
    }

    private void completed(int slot, CompletionBatch completions, int index) {
        posted.decrementAndGet();
        int status = completions.status(index);
        if (status != 0) {
            returned.add(boxed[slot]);
            endpoint.failureOf(status, null, completions.qpNumber(index), completions.vendorError(index));
            return;
        }
        boolean write = completions.isReceiveOfWrite(index);
        // A write with immediate puts nothing into the receive buffer; its byte_len is that of the write.
        MemorySegment bytes = buffers[slot].asSlice(0, write ? 0 : completions.byteLength(index));
        region.retain();
        arrived.add(new ReceivedMessage(
                bytes, completions.hasImmediate(index), completions.immediate(index), () -> giveBack(slot)));
        changed();
    }

    private void giveBack(int slot) {
        returned.add(boxed[slot]);
        repost(posted.get() <= count / 2 ? 1 : batch);
        region.release();
    }

    /** Posts what was given back if it is at least {@code least}. */
    private void repost(int least) {
        if (returned.size() < least || wip.getAndIncrement() != 0) {
            return;
        }
        int missed = 1;
        do {
            while (!closed && fillChain()) {
                int length = chain.size();
                posted.addAndGet(length);
                int result = queuePair.post(chain);
                if (result != 0) {
                    posted.addAndGet(queuePair.postedBeforeFailure(chain) - length);
                    endpoint.fail(new VerbsException("ibv_post_recv", -result, null));
                    break;
                }
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private boolean fillChain() {
        chain.clear();
        Integer slot;
        while (!chain.isFull() && (slot = returned.poll()) != null) {
            chain.add(table.arm(base + slot)).entry(buffers[slot].address(), size, region.lkey());
        }
        return chain.size() > 0;
    }

    /** Stops re-posting. */
    void close() {
        closed = true;
    }

    /** Whether no thread posts, or ever will: a re-post that starts after the close posts nothing. */
    boolean isQuiet() {
        return closed && wip.get() == 0;
    }

    /** After the queue pair is destroyed: the slots are given back and the consumer learns of the end. Loop thread. */
    void destroyed() {
        table.release(base, count);
        terminated = true;
        changed();
    }

    /** Drops what arrived and was not polled. The caller is the only consumer from now on. */
    public void discard() {
        ReceivedMessage message;
        while ((message = arrived.poll()) != null) {
            message.close();
        }
    }
}
