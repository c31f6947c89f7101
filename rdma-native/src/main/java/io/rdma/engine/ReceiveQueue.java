package io.rdma.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.RdmaException;
import io.rdma.verbs.ReceiveChain;
import io.rdma.verbs.RemoteMemory;
import io.rdma.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - A slot is in exactly one place: posted to the device, in `arrived`, with the application (an open ReceivedMessage),
// or in `returned`.
// - `arrived` holds ReceivedMessages, and a Fetch for each large message, which stays at the head until it has ended.
// - The loop thread alone fills `arrived`; one consumer at a time empties it. It never overflows: it is as large as the
// ring.
// - The device always keeps receives while the application gives buffers back: they are re-posted in batches, but at
// once when half the ring is out.
// - A control frame's slot goes from posted to `returned` by itself: it never waits for the application.
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
    private final int maxMessageSize;
    private final Credits credits;
    private final int frameBytes; // before each payload, in memory of their own: frames lie behind all buffers
    private final boolean[] control; // by slot: what it held last; (loop) writes, (poster) reads after `returned`
    private final int half; // posted when half of the application's buffers are out
    private final int batch;
    private final int base;
    private final MemorySegment[] buffers;
    private final SpscVarHandleArrayQueue<Object> arrived;
    private final MpscVarHandleArrayQueue<Integer> returned;
    private final Integer[] boxed;
    private final ReceiveChain chain;
    private final AtomicInteger wip = new AtomicInteger();
    private final AtomicInteger posted = new AtomicInteger();
    private int controlInChain; // (poster)
    private volatile @Nullable Runnable listener;
    private volatile boolean closed;
    private volatile boolean terminated;

    ReceiveQueue(
            RdmaEndpoint endpoint,
            QueuePair queuePair,
            InFlightTable table,
            MemoryRegion region,
            Credits credits,
            EndpointOptions options) {
        this.endpoint = endpoint;
        this.queuePair = queuePair;
        this.table = table;
        this.region = region;
        this.credits = credits;
        this.count = credits.receives();
        this.frameBytes = credits.framed() ? Frame.BYTES : 0;
        this.control = new boolean[count];
        this.size = options.receiveBufferSize();
        this.maxMessageSize = options.receiveMessageSize();
        this.half = count - (options.receiveBuffers() + 1) / 2;
        this.batch = Math.max(1, Math.min(MAX_BATCH, options.receiveBuffers() / 4));
        this.arrived = new SpscVarHandleArrayQueue<>(Math.max(4, count));
        this.returned = new MpscVarHandleArrayQueue<>(Math.max(2, count));
        this.chain = new ReceiveChain(Math.min(count, 64), 2);
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

    /** Memory that a ring needs. */
    static long bytes(Credits credits, EndpointOptions options) {
        return (long) credits.receives() * (options.receiveBufferSize() + (credits.framed() ? Frame.BYTES : 0));
    }

    private long frameOffset(int slot) {
        return (long) count * size + (long) slot * Frame.BYTES;
    }

    /** Posts the whole ring; the queue pair is in INIT or later, before the peer may send. */
    void postAll() {
        for (Integer slot : boxed) {
            returned.add(slot);
        }
        repost(1, true);
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
        for (; ; ) {
            Object head = arrived.peek();
            if (head == null) {
                endpoint.creditsChanged(); // the application waits for more
                return null;
            }
            if (head instanceof ReceivedMessage message) {
                arrived.poll();
                return message;
            }
            Fetch fetch = (Fetch) head;
            fetch.start();
            if (!fetch.isEnded()) {
                return null; // the listener hears when it has
            }
            arrived.poll();
            if (!fetch.isFailed()) {
                return fetch.message();
            }
        }
    }

    /**
     * Whether a poll would be in vain now.
     *
     * @return true also while a large message is being read; but false before that, because a poll starts it
     */
    public boolean isEmpty() {
        Object head = arrived.peek();
        return head == null || head instanceof Fetch fetch && fetch.isReading();
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

    void changed() {
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
        if (posted.decrementAndGet() == 0) {
            endpoint.loop().counters().starve();
        }
        int status = completions.status(index);
        if (status != 0) {
            returned.add(boxed[slot]);
            endpoint.failureOf(status, null, completions.qpNumber(index), completions.vendorError(index));
            return;
        }
        if (completions.isReceiveOfWrite(index)) {
            // A write with immediate puts nothing into the receive buffer; its byte_len is that of the write.
            arrived(slot, 0, completions, index);
            return;
        }
        int length = completions.byteLength(index) - frameBytes;
        if (frameBytes == 0) {
            arrived(slot, length, completions, index);
            return;
        }
        MemorySegment memory = region.segment();
        long frame = frameOffset(slot);
        int type = length < 0 ? -1 : Frame.type(memory, frame);
        boolean known = switch (type) {
            case Frame.DATA -> true;
            case Frame.CREDIT -> length == 0;
            case Frame.ANNOUNCEMENT -> length == RemoteMemory.ENCODED_BYTES;
            default -> false;
        };
        if (!known
                || !credits.granted(Frame.granted(memory, frame), Frame.grantedControl(memory, frame))
                || !endpoint.sends().fetched(Frame.fetched(memory, frame))) {
            brokenProtocol(slot, "its frame is none, or announces what it cannot have");
            return;
        }
        switch (type) {
            case Frame.CREDIT -> {
                control[slot] = true;
                returned.add(boxed[slot]);
                repost(1, false);
            }
            case Frame.ANNOUNCEMENT -> announced(slot, completions, index);
            default -> arrived(slot, length, completions, index);
        }
        endpoint.creditsChanged();
    }

    private void brokenProtocol(int slot, @Nullable String how) {
        returned.add(boxed[slot]);
        endpoint.fail(new RdmaException("the peer broke the protocol of messages: " + how));
    }

    private void announced(int slot, CompletionBatch completions, int index) {
        RemoteMemory source;
        try {
            source = RemoteMemory.decode(buffers[slot].asSlice(0, RemoteMemory.ENCODED_BYTES));
        } catch (IllegalArgumentException e) {
            brokenProtocol(slot, e.getMessage());
            return;
        }
        if (source.length() <= 0 || source.length() > maxMessageSize) {
            brokenProtocol(
                    slot,
                    "it announced a message of " + source.length() + " bytes, at most " + maxMessageSize
                            + " were agreed on");
            return;
        }
        credits.received();
        region.retain();
        control[slot] = false;
        boolean hasImmediate = completions.hasImmediate(index);
        int immediate = hasImmediate ? completions.immediate(index) : 0;
        arrived.add(new Fetch(endpoint, this, source, hasImmediate, immediate, () -> giveBack(slot)));
        changed();
    }

    private void arrived(int slot, int length, CompletionBatch completions, int index) {
        credits.received();
        region.retain();
        control[slot] = false;
        arrived.add(new ReceivedMessage(
                buffers[slot].asSlice(0, length),
                completions.hasImmediate(index),
                completions.immediate(index),
                () -> giveBack(slot)));
        changed();
    }

    private void giveBack(int slot) {
        returned.add(boxed[slot]);
        repost(posted.get() <= half ? 1 : batch, false);
        endpoint.creditsChanged();
        region.release();
    }

    /** Posts what was given back if it is at least {@code least}; the first posting is what the peer knows from the exchange. */
    private void repost(int least, boolean first) {
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
                if (!first) {
                    endpoint.loop().counters().reposted(length);
                    credits.reposted(length - controlInChain, controlInChain);
                }
            }
            missed = wip.addAndGet(-missed);
        } while (missed != 0);
    }

    private boolean fillChain() {
        chain.clear();
        controlInChain = 0;
        Integer slot;
        while (!chain.isFull() && (slot = returned.poll()) != null) {
            chain.add(table.arm(base + slot));
            if (frameBytes > 0) {
                chain.entry(region.segment().address() + frameOffset(slot), frameBytes, region.lkey());
            }
            chain.entry(buffers[slot].address(), size, region.lkey());
            controlInChain += control[slot] ? 1 : 0;
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
        while ((message = poll()) != null) {
            message.close();
        }
    }
}
