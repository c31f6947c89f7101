package io.rdma.internal.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.engine.FlowControlException;
import io.rdma.internal.loop.BatchReceiver;
import io.rdma.internal.os.StackRoom;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.ReceiveChain;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - A completed slot is in the inbox, with the application (an open ReceivedMessage), or back in the ring.
// - The ring's memory is held from the start until the queue has terminated and no message is outstanding. The first
// thread that observes both releases it.
// - Receives of the queue's own ring are announced to the peer when they are posted again. Receives of a shared ring
// are announced when a slot is given back, because the receive that is posted then uses another slot and may serve
// another connection.
// - A slot of a shared ring that takes the connection beyond its share is given back without an announcement: the
// window is one smaller then.
// - When the queue has terminated, each message that is open keeps one promised receive. The last one that is given
// back leaves none. A window shrinks only by slots that count as outstanding, so no promise is given back twice.
// - A connection holds no more slots of a shared ring than its window. A message beyond it is given back unread and
// ends the connection.
// - A lent handle belongs to this queue. Only the queue's one consumer lends it again, once it is closed. So even with
// a shared ring, a second close of a handle never closes a message of another connection.

/** The receive side of one queue pair: the messages that arrived, in order, until the application takes them. */
public final class ReceiveQueue implements ReceiveRing.Device, BatchReceiver {
    /** Time after which a queue pair is taken to have left its shared queue: some devices never report it. */
    private static final long LAST_RECEIVE_NANOS = 200_000_000;

    private final Endpoint endpoint;
    private final QueuePair queuePair;
    private final @Nullable SharedReceives shared;
    private final @Nullable DatagramReader datagrams;
    private final IntConsumer giveBack = this::giveBack; // one for all messages
    private final ReceiveRing ring;
    private final ReceiveSlots slots;
    private final int window; // the largest
    private final int least; // window
    private final Credits credits;
    private final @Nullable MessageNumbers numbers; // null on a reliable connection
    private final FrameReader frames;
    private final ReceiveGrowth growth;
    private final Inbox inbox;
    private final AtomicInteger givenBack = new AtomicInteger(); // of the messages that the credits count as received
    private final AtomicInteger left = new AtomicInteger(); // of what was promised to the connection, given back
    private final AtomicBoolean memoryHeld = new AtomicBoolean(true);
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private boolean newsDue; // (loop)
    private volatile @Nullable Runnable listener;
    private volatile boolean lastReceiveReached; // of a shared queue
    private volatile long lastReceiveDeadline; // nanoTime, once the queue pair is in ERR
    private volatile boolean terminated;

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
        this.endpoint = endpoint;
        this.queuePair = queuePair;
        this.shared = shared;
        this.datagrams = datagrams;
        this.credits = credits;
        this.numbers = endpoint.numbers();
        this.window = options.receiveBuffers();
        this.least = credits.framed() ? options.firstReceiveBuffers() : window;
        if (shared == null) {
            int count = credits.receives();
            ring = new ReceiveRing(
                    endpoint.loop(),
                    domain,
                    this,
                    count,
                    count - options.receiveBuffers(),
                    count - options.receiveBuffers() + options.firstReceiveBuffers(),
                    options.receiveBufferSize(),
                    credits.framed(),
                    true);
        } else {
            ring = shared.ring();
        }
        slots = ring.slots();
        growth = new ReceiveGrowth(endpoint, ring, credits, shared);
        frames = new FrameReader(endpoint, this, ring, credits, giveBack, shared != null, options);
        inbox = new Inbox(endpoint, ring, shared == null ? 0 : window, credits.framed(), giveBack);
        if (shared != null) {
            shared.join(queuePair.number(), this, promised());
        }
        slots.retain();
    }

    /** Returns the number of shared receives that the peer may use. */
    private int promised() {
        return credits.window() + (credits.framed() ? EndpointOptions.CONTROL_RECEIVES : 0);
    }

    /** Posts the ring, unless it is shared. The queue pair is in INIT or later, and the peer may not send yet. */
    void postAll() {
        if (shared == null) {
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

    /**
     * Returns the number of receive buffers whose messages the application holds or that wait for it.
     *
     * @return 0 when none is outstanding
     */
    public int outstanding() {
        int back = givenBack.get(); // read first: otherwise more might be given back than received
        return credits.received() - back;
    }

    /**
     * Returns whether at least half of the receive buffers are out, those of a shared queue included. A consumer that
     * keeps messages for long should copy them then.
     *
     * @return true if the device is about to run short of receives
     */
    public boolean isScarce() {
        return ring.isScarce();
    }

    /**
     * Takes the next message that arrived. One consumer at a time.
     *
     * @return a lease to be closed, or null when none waits
     */
    public @Nullable ReceivedMessage poll() {
        return inbox.poll(false);
    }

    /**
     * Takes the next message like {@link #poll}, but without a handle for each message: a later message uses the same
     * handle, unless leak detection is paranoid. For callers that close the message when a
     * call returns; a dropped one is not reported. Messages that were read from the peer, and datagrams, have handles
     * of their own. One consumer at a time.
     *
     * @return a message to be closed, or null when none waits
     */
    public @Nullable ReceivedMessage lend() {
        return inbox.poll(true);
    }

    /**
     * Tests the caller's stack for a {@link #lend} and for the close of its message. The test is small as long as other
     * messages wait in the same receive buffer, because the close does not post then. Consumer.
     *
     * @throws StackOverflowError if there is no room
     */
    public void requireRoomToLend() {
        StackRoom.require(inbox.isNextOfSeveral() ? StackRoom.RELEASE : StackRoom.SIGNAL);
    }

    /**
     * Closes a message like its own close, which is more expensive. For the consumer, before it takes another message.
     *
     * @param message result of {@link #lend}
     * @throws StackOverflowError if the caller's stack is nearly full; the message is open then
     */
    public void close(ReceivedMessage message) {
        inbox.close(message);
    }

    /**
     * Returns the number of places for messages that have arrived.
     *
     * @return at least the number of receive buffers in which messages of this connection are at a time; in a ring of
     *     its own, larger than each {@link ReceivedMessage#place}
     */
    public int places() {
        return inbox.places();
    }

    /**
     * Returns whether a poll would find nothing now.
     *
     * @return true also while a large message is being read, but false before that, because a poll starts the read
     */
    public boolean isEmpty() {
        return inbox.isEmpty();
    }

    /**
     * Returns whether no message will arrive any more; those that wait can still be polled.
     *
     * @return true after the connection ended
     */
    public boolean isTerminated() {
        return terminated;
    }

    /**
     * Sets the listener that is notified when messages arrived or the queue terminated. The caller notifies it at once;
     * later the loop does, or the thread on which the read of a large message failed. It must not block. A consumer may
     * announce by a volatile write that it waits, and then find this queue empty: if so, a volatile read in the
     * listener finds that announcement.
     *
     * @param onChange runs after every change, once for all messages of a batch of completions; null for none
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
            } catch (Throwable t) { // an exception of a listener must not end the loop
                endpoint.loop().listenerThrew(t);
            }
        }
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
        ring.arrivals().put(slot, length, completions, index, numbers == null || completions.isReceiveOfWrite(index));
        enqueue(slot, ring.boxed(slot));
    }

    /** Queues a batch of messages in a slot. Loop. */
    void arrived(int slot, int length, int messages) {
        if (isRefused(slot)) {
            return;
        }
        ring.arrivals().putBatch(slot, length, messages);
        enqueue(slot, ring.boxed(slot));
    }

    /** Queues an object that stands for the message or messages in a slot. Loop. */
    void enqueue(int slot, Object message) {
        credits.receive();
        ring.holdsControl(slot, false);
        inbox.add(message);
        if (!newsDue) {
            newsDue = true;
            endpoint.loop().tellAfterDispatch(this);
        }
    }

    /** Grows the ring if due and notifies the listener, after the batch that brought messages is dispatched. Loop. */
    @Override
    public void dispatched() {
        newsDue = false;
        if (!terminated) {
            growth.growIfDue();
        }
        VarHandle.fullFence(); // the inbox only releases: the consumer sees the message, or the listener sees it wait
        changed();
        Thread.interrupted(); // an interrupt left set by a decoder would end waits of the loop's other receivers
    }

    /** Grows the window if that is due and the queue takes its receives there. Loop. */
    void sharesGrew(SharedReceives of) {
        if (of == shared && !terminated) {
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

    /** Ends the use of a message in a slot. Gives the slot back if it was the last one there. Any thread. */
    private void giveBack(int slot) {
        if (!ring.arrivals().closeOne(slot)) {
            return;
        }
        if (shared != null) {
            announceOrShrink(shared.shares());
        }
        ring.giveBack(slot);
        endpoint.creditsChanged();
        givenBack.incrementAndGet();
        releaseIfDone();
    }

    private void announceOrShrink(ReceiveShares shares) {
        if (shares.isExceededBy(credits.window()) && credits.shrink(least)) {
            shares.release(1);
        } else {
            credits.reposted(1, 0);
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

    private void releaseIfDone() {
        if (!terminated) {
            return;
        }
        if (shared != null) {
            leaveShares(shared.shares());
        }
        if (outstanding() == 0 && memoryHeld.compareAndSet(true, false)) {
            try {
                slots.release();
            } finally {
                released.complete(null);
            }
        }
    }

    /**
     * Returns the return of all slots after the end.
     *
     * @return completed on any thread
     */
    public CompletableFuture<Void> released() {
        return released;
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
        terminated = true;
        try {
            releaseIfDone();
        } finally {
            changed(); // the consumer waits for it, even if the device refuses to deregister the memory
        }
    }

    /** Drops the messages that arrived, if there is no consumer. After the end. */
    void discardUnclaimed() {
        if (listener == null) {
            discard();
        }
    }

    /** Drops the messages that arrived and were not polled. The caller is the only consumer from now on. */
    public void discard() {
        ReceivedMessage message;
        while ((message = lend()) != null) {
            message.close();
        }
    }
}
