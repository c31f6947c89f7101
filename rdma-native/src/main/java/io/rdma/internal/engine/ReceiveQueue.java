package io.rdma.internal.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.engine.FlowControlException;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.QueuePairType;
import io.rdma.verbs.ReceiveChain;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - Receives of the queue's own ring are announced to the peer when they are posted again. Receives of a shared ring
// are announced when a slot is given back, because the receive that is posted then uses another slot and may serve
// another connection.
// - A slot of a shared ring that takes the connection beyond its share is given back without an announcement: the
// window is one smaller then.
// - When the queue has terminated, each message that is open keeps one promised receive. The last one that is given
// back leaves none. A window shrinks only by slots that count as outstanding, so no promise is given back twice.
// - A connection holds no more slots of a shared ring than its window. A message beyond it is given back unread and
// ends the connection.

/** The receive side of one queue pair: the messages that arrived, in order, until the application takes them. */
public final class ReceiveQueue extends MessageQueue {
    /** Time after which a queue pair is taken to have left its shared queue: some devices never report it. */
    private static final long LAST_RECEIVE_NANOS = 200_000_000;

    private static final Set<QueuePairType> WITHOUT_RECEIVES =
            EnumSet.of(QueuePairType.XRC_SEND, QueuePairType.XRC_RECV);

    private final Endpoint endpoint;
    private final QueuePair queuePair;
    private final @Nullable SharedReceives shared;
    private final @Nullable DatagramReader datagrams;
    private final int window; // the largest
    private final int least; // window
    private final @Nullable MessageNumbers numbers; // null on a reliable connection
    private final FrameReader frames;
    private final ReceiveGrowth growth;
    private final AtomicInteger left = new AtomicInteger(); // of what was promised to the connection, given back
    private volatile boolean lastReceiveReached; // of a shared queue
    private volatile long lastReceiveDeadline; // nanoTime, once the queue pair is in ERR

    /**
     * Creates the receive side and its ring, or joins a shared ring.
     *
     * @param shared where the queue pair takes its receives; null for a ring of its own
     * @param datagrams of a queue pair for datagrams, which has a ring of its own and counts no credits
     */
    ReceiveQueue(
            Endpoint endpoint,
            QueuePair queuePair,
            ProtectionDomain domain,
            @Nullable SharedReceives shared,
            @Nullable DatagramReader datagrams,
            Credits credits,
            EndpointOptions options) {
        super(
                endpoint.loop(),
                queue -> shared == null ? ownRing(endpoint.loop(), domain, queue, credits, options) : shared.ring(),
                shared == null ? 0 : options.receiveBuffers(),
                credits);
        this.endpoint = endpoint;
        this.queuePair = queuePair;
        this.shared = shared;
        this.datagrams = datagrams;
        this.numbers = endpoint.numbers();
        this.window = options.receiveBuffers();
        this.least = credits.framed() ? options.firstReceiveBuffers() : window;
        growth = new ReceiveGrowth(endpoint, ring, credits, shared);
        frames = new FrameReader(endpoint, this, ring, credits, giveBack, shared != null, options);
        if (shared != null) {
            shared.join(queuePair.number(), this, promised());
        }
        slots.retain();
    }

    private static ReceiveRing ownRing(
            CompletionLoop loop,
            ProtectionDomain domain,
            ReceiveRing.Device queue,
            Credits credits,
            EndpointOptions options) {
        int spare = credits.receives() - options.receiveBuffers();
        return new ReceiveRing(
                loop,
                domain,
                queue,
                credits.receives(),
                spare,
                spare + options.firstReceiveBuffers(),
                options.receiveBufferSize(),
                credits.framed(),
                true);
    }

    /** Returns the number of shared receives that the peer may use. */
    private int promised() {
        return credits.window() + (credits.framed() ? EndpointOptions.CONTROL_RECEIVES : 0);
    }

    /**
     * Posts the ring, unless it is shared, or the queue pair takes no receives. It is in INIT or later, and the peer
     * may not send yet.
     */
    void postAll() {
        if (shared == null && !WITHOUT_RECEIVES.contains(queuePair.type())) {
            ring.postAll();
        }
    }

    @Override
    public int post(ReceiveChain chain) {
        return queuePair.post(chain);
    }

    @Override
    public int postedBeforeFailure(ReceiveChain chain) {
        return queuePair.postedBeforeFailure(chain);
    }

    @Override
    public void reposted(int messages, int control) {
        credits.reposted(messages, control);
    }

    @Override
    public void refused(Throwable error) {
        endpoint.fail(error);
    }

    @Override
    public void completed(int slot, CompletionBatch completions, int index) {
        int status = completions.status(index);
        if (status != 0) {
            endpoint.failed(status, null, completions.qpNumber(index), completions.vendorError(index));
            ring.giveBack(slot);
            return;
        }
        if (completions.isReceiveOfWrite(index)) {
            // A write with immediate puts nothing into the receive buffer; its byte_len is that of the write.
            arrived(slot, 0, completions, index);
            return;
        }
        int length = completions.byteLength(index);
        if (datagrams != null) {
            ReceivedMessage datagram = datagrams.read(slots.buffer(slot), length, completions, index, giveBack, slot);
            if (datagram == null) {
                ring.giveBack(slot);
            } else {
                enqueue(slot, datagram);
            }
            return;
        }
        if (credits.framed()) {
            frames.read(slot, length, completions, index);
        } else if (numbers == null || frames.acceptsNumber(slot, numbers, completions, index)) {
            arrived(slot, length, completions, index);
        }
    }

    /**
     * Gives a message back and ends the connection, if the peer exceeded its window of the shared buffers. Returns
     * whether it did. Loop.
     */
    boolean isRefused(int slot) {
        if (shared == null || (credits.framed() ? credits.mayReceive() : outstanding() < window)) {
            return false;
        }
        exceeded("more messages than its window of " + window);
        ring.holdsControl(slot, false);
        ring.giveBack(slot);
        return true;
    }

    /** Ends the connection, because the peer exceeded its window of the shared buffers. Loop. */
    void exceeded(String how) {
        if (!endpoint.isClosing()) {
            endpoint.fail(new FlowControlException("the peer sent " + how
                    + ", into receive buffers that it shares with other connections, so its connection is ended. To"
                    + " give it receive buffers of its own, use resources without sharedReceiveBuffers"));
        }
    }

    /** Queues the message in a slot. Loop. */
    void arrived(int slot, int length, CompletionBatch completions, int index) {
        if (isRefused(slot)) {
            return;
        }
        enqueue(slot, length, completions, index, numbers == null || completions.isReceiveOfWrite(index));
    }

    /** Queues a batch of messages in a slot. Loop. */
    void arrived(int slot, int length, int messages) {
        if (isRefused(slot)) {
            return;
        }
        ring.arrivals().putBatch(slot, length, messages);
        enqueue(slot, ring.boxed(slot));
    }

    /** Grows the ring if due, before the listener is notified. Loop. */
    @Override
    public void dispatched() {
        if (!isTerminated()) {
            growth.growIfDue();
        }
        super.dispatched();
    }

    /** Grows the window if that is due and the queue takes its receives there. Loop. */
    void sharesGrew(SharedReceives of) {
        if (of == shared && !isTerminated()) {
            growth.growIfDue();
        }
    }

    /**
     * Returns the number of receives that the peer may use, or has used for messages that are open.
     *
     * @return from the number at the start to the configured one
     */
    public int window() {
        return credits.window();
    }

    @Override
    public void interrupted(RuntimeException cause) {
        endpoint.fail(cause);
    }

    @Override
    void creditsChanged() {
        endpoint.creditsChanged();
    }

    @Override
    void givingBack() {
        if (shared != null) {
            announceOrShrink(shared.shares());
        }
    }

    private void announceOrShrink(ReceiveShares shares) {
        if (shares.isExceededBy(credits.window()) && credits.shrink(least)) {
            shares.release(1);
        } else {
            credits.reposted(1, 0);
        }
    }

    @Override
    void leaving() {
        if (shared != null) {
            leaveShares(shared.shares());
        }
    }

    /** Gives back what was promised, but for the messages that are open. Any thread; after the end. */
    private void leaveShares(ReceiveShares shares) {
        int open = outstanding(); // read first: a slot that is given back may leave the window before it is counted
        int unused = promised() - open;
        int more = unused - left.getAndAccumulate(unused, Math::max);
        if (more > 0) {
            shares.leave(more);
        }
    }

    /**
     * Returns the arrival of the peer's first frame, before which this side may not send.
     *
     * @return null if this side may send
     */
    public @Nullable CompletableFuture<Void> firstFrame() {
        return frames.firstFrame();
    }

    /** Stops re-posting to this queue pair, unless its ring is shared. */
    void close() {
        if (shared == null) {
            ring.stop();
        }
    }

    /** Returns whether no thread posts to this queue pair or registers memory, now or later. */
    boolean isQuiet() {
        return shared != null || ring.isQuiet() && !growth.isUnderWay();
    }

    /** Starts the wait for the last receive of a shared queue: the queue pair is in ERR now. Loop. */
    void draining() {
        lastReceiveDeadline = endpoint.loop().environment().nanoTime() + LAST_RECEIVE_NANOS;
    }

    /**
     * Notes that the device reported the last receive: the queue pair takes no more from its shared queue, and the
     * receives that it took have been polled.
     */
    void lastReceiveReached() {
        lastReceiveReached = true;
    }

    /** Returns whether the device holds nothing of this queue pair any more. Loop. */
    boolean isDrained() {
        return shared == null
                ? ring.posted() == 0
                : lastReceiveReached || endpoint.loop().environment().nanoTime() - lastReceiveDeadline >= 0;
    }

    /**
     * Leaves the shared queue before the queue pair is destroyed, since another queue pair may get its number then.
     * Receives that complete for this number from now on are given back. Loop.
     */
    void detach() {
        if (shared != null) {
            endpoint.loop().pollAll();
            shared.leave(queuePair.number(), this);
        }
    }

    /**
     * Gives the slots back and notifies the consumer of the end, after the queue pair was destroyed or proved unusable.
     */
    void destroyed() {
        if (shared == null) {
            ring.destroyed();
        } else {
            shared.leave(queuePair.number(), this); // a construction that failed did not detach
        }
        terminate();
    }
}
