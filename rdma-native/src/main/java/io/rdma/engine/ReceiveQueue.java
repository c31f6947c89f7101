package io.rdma.engine;

import io.rdma.buffer.MessageLender;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.types.RdmaException;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.CompletionBatch;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.QueuePair;
import io.rdma.verbs.ReceiveChain;
import java.lang.System.Logger;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - A completed slot is in `arrived`, with the application (an open ReceivedMessage), or back in the ring.
// - `arrived` holds slot numbers (the ring's ArrivedMessages holds the rest), datagrams, and a Fetch for each large
// message, which stays at the head until it has ended.
// - The loop thread alone fills `arrived`; one consumer at a time empties it. It never overflows, because it has as
// many places as the ring.
// - The slot of a control frame is given back at once: it never waits for the application.
// - The ring's memory is held from the start until the queue has terminated and no message is outstanding. The first
// thread that observes both releases it.
// - Receives of the queue's own ring are announced to the peer when they are posted again. Receives of a shared ring
// are announced when a slot is given back, because the receive that is posted then uses another slot and may serve
// another connection.
// - A connection holds no more slots of a shared ring than its window. A message beyond it is given back unread and
// ends the connection.
// - A lent handle belongs to this queue. Only the queue's one consumer lends it again, after the library has closed it.
// So even with a shared ring, a second close of a handle never closes a message of another connection.

/** The receive side of one queue pair: the messages that arrived, in order, until the application takes them. */
public final class ReceiveQueue implements ReceiveRing.Device {
    /** Time after which a queue pair is taken to have left its shared queue: some devices never report it. */
    private static final long LAST_RECEIVE_NANOS = 200_000_000;

    private final RdmaEndpoint endpoint;
    private final QueuePair queuePair;
    private final @Nullable SharedReceives shared;
    private final @Nullable DatagramReader datagrams;
    private final @Nullable MessageLender[] lenders; // (consumer) by slot
    private final IntConsumer giveBack = this::giveBack; // one for all messages
    private final ReceiveRing ring;
    private final boolean wholeRing; // whether all slots exist from the start, announced to the peer or not
    private final int maxMessageSize;
    private final int window;
    private final Credits credits;
    private final SpscVarHandleArrayQueue<Object> arrived;
    private final AtomicInteger givenBack = new AtomicInteger(); // of the messages that the credits count as received
    private final AtomicBoolean memoryHeld = new AtomicBoolean(true);
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
            RdmaEndpoint endpoint,
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
        this.maxMessageSize = options.receiveMessageSize();
        this.window = options.receiveBuffers();
        if (shared == null) {
            int count = credits.receives();
            arrived = new SpscVarHandleArrayQueue<>(Math.max(4, count));
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
            arrived = new SpscVarHandleArrayQueue<>(Math.max(4, shared.count()));
            ring = shared.ring();
        }
        wholeRing = ring.isWhole();
        lenders = new @Nullable MessageLender[ring.count()];
        ring.retain();
        if (shared != null) {
            shared.join(queuePair.number(), this);
        }
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
     * Returns the number of messages that the application holds or that wait for it.
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
        return poll(false);
    }

    /**
     * Takes the next message like {@link #poll}, but without a handle for each message: a later message in the same
     * receive buffer uses the same handle, unless leak detection is paranoid. For callers that close the message when a
     * call returns; a dropped one is not reported. Messages that were read from the peer, and datagrams, have handles
     * of their own. One consumer at a time.
     *
     * @return a message to be closed, or null when none waits
     */
    public @Nullable ReceivedMessage lend() {
        return poll(true);
    }

    private MessageLender lender(int slot) {
        MessageLender lender = lenders[slot];
        if (lender == null) {
            lender = new MessageLender(giveBack, slot);
            lenders[slot] = lender;
        }
        return lender;
    }

    private @Nullable ReceivedMessage poll(boolean lent) {
        for (; ; ) {
            Object head = arrived.peek();
            if (head == null) {
                endpoint.creditsChanged(); // the application waits for more
                return null;
            }
            if (head instanceof Integer slot) {
                arrived.poll();
                MemorySegment memory = memory(slot);
                return lent
                        ? ring.arrivals().lend(lender(slot), slot, memory)
                        : ring.arrivals().own(slot, memory, giveBack);
            }
            if (head instanceof ReceivedMessage datagram) {
                arrived.poll();
                return datagram;
            }
            Fetch fetch = (Fetch) head;
            fetch.start();
            if (!fetch.isEnded()) {
                return null; // the listener is notified when it has ended
            }
            arrived.poll();
            if (!fetch.isFailed()) {
                return fetch.message();
            }
        }
    }

    /** Returns the memory of a slot, which begins with the message. */
    private MemorySegment memory(int slot) {
        return credits.framed() ? ring.buffer(slot) : ring.whole(slot);
    }

    /**
     * Returns whether a poll would find nothing now.
     *
     * @return true also while a large message is being read, but false before that, because a poll starts the read
     */
    public boolean isEmpty() {
        Object head = arrived.peek();
        return head == null || head instanceof Fetch fetch && fetch.isReading();
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
            endpoint.failureOf(status, null, completions.qpNumber(index), completions.vendorError(index));
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
            ReceivedMessage datagram = datagrams.read(ring.buffer(slot), length, completions, index, giveBack, slot);
            if (datagram == null) {
                ring.giveBack(slot);
            } else {
                enqueue(slot, datagram);
            }
            return;
        }
        if (!credits.framed()) {
            arrived(slot, length, completions, index);
            return;
        }
        framed(slot, length - Frame.BYTES, completions, index);
    }

    private void framed(int slot, int length, CompletionBatch completions, int index) {
        MemorySegment memory = ring.frames();
        long frame = ring.frame(slot);
        int type = length < 0 ? -1 : Frame.type(memory, frame);
        boolean known = switch (type) {
            case Frame.DATA -> true;
            case Frame.CREDIT -> length == 0;
            case Frame.ANNOUNCEMENT -> length == RemoteMemory.ENCODED_BYTES;
            case Frame.BYE, Frame.ABORT -> length == 0 && credits.farewells();
            default -> false;
        };
        if (!known
                || !credits.granted(Frame.granted(memory, frame), Frame.grantedControl(memory, frame))
                || !endpoint.sends().fetched(Frame.fetched(memory, frame))) {
            brokenProtocol(slot, "it sent a frame of an unknown type or with an invalid length or counter");
            return;
        }
        switch (type) {
            case Frame.CREDIT -> credit(slot);
            case Frame.ANNOUNCEMENT -> announced(slot, completions, index);
            case Frame.BYE, Frame.ABORT -> {
                endpoint.peerSaidFarewell(type == Frame.BYE);
                ring.holdsControl(slot, true);
                ring.giveBack(slot);
            }
            default -> arrived(slot, length, completions, index);
        }
        endpoint.creditsChanged();
    }

    private void credit(int slot) {
        ring.holdsControl(slot, true);
        if (shared != null) {
            if (!credits.receiveControl()) {
                exceeded("more control frames than its window allows");
            }
            credits.reposted(0, 1);
        }
        ring.giveBack(slot);
    }

    /**
     * Gives a message back and ends the connection, if the peer exceeded its window of the shared buffers. Returns
     * whether it did.
     */
    private boolean isRefused(int slot) {
        if (shared == null || (credits.framed() ? credits.mayReceive() : outstanding() < window)) {
            return false;
        }
        exceeded("more messages than its window of " + window);
        ring.holdsControl(slot, false);
        ring.giveBack(slot);
        return true;
    }

    private void exceeded(String how) {
        if (!endpoint.isClosing()) {
            endpoint.fail(new FlowControlException("the peer sent " + how
                    + ", into receive buffers that it shares with other connections, so its connection is ended. To"
                    + " give it receive buffers of its own, use resources without sharedReceiveBuffers"));
        }
    }

    private void brokenProtocol(int slot, @Nullable String how) {
        endpoint.abort(new RdmaException("the peer broke the message protocol: " + how));
        ring.giveBack(slot);
    }

    private void announced(int slot, CompletionBatch completions, int index) {
        if (isRefused(slot)) {
            return;
        }
        RemoteMemory source;
        try {
            source = RemoteMemory.decode(ring.buffer(slot).asSlice(0, RemoteMemory.ENCODED_BYTES));
        } catch (IllegalArgumentException e) {
            brokenProtocol(slot, e.getMessage());
            return;
        }
        if (source.length() <= 0 || source.length() > maxMessageSize) {
            brokenProtocol(
                    slot, "it announced a message of " + source.length() + " bytes instead of 1 to " + maxMessageSize);
            return;
        }
        boolean invalidated = completions.hasInvalidatedKey(index);
        enqueue(
                slot,
                new Fetch(
                        endpoint,
                        this,
                        source,
                        completions.hasImmediate(index),
                        invalidated,
                        ArrivedMessages.data(completions, index, invalidated),
                        giveBack,
                        slot));
    }

    private void arrived(int slot, int length, CompletionBatch completions, int index) {
        if (isRefused(slot)) {
            return;
        }
        ring.arrivals().put(slot, length, completions, index);
        enqueue(slot, ring.boxed(slot));
    }

    private void enqueue(int slot, Object message) {
        credits.receive();
        ring.holdsControl(slot, false);
        arrived.add(message);
        if (!newsDue) {
            newsDue = true;
            endpoint.loop().tellAfterDispatch(this);
        }
    }

    /** Grows the ring if due and notifies the listener, after the batch that brought messages is dispatched. Loop. */
    void dispatched() {
        newsDue = false;
        if (credits.isGrowthDue()) {
            grow();
        }
        VarHandle.fullFence(); // `arrived` only releases: the consumer sees the message, or the listener sees it wait
        changed();
        Thread.interrupted(); // an interrupt left set by a decoder would end waits of the loop's other receivers
    }

    /** Announces more receives. If their buffers do not exist yet, a separate thread registers and posts them. Loop. */
    private void grow() {
        if (wholeRing) {
            int more = credits.growth();
            credits.grew(more);
            credits.reposted(more, 0);
            endpoint.creditsChanged();
        } else if (ring.beginGrowth()) {
            endpoint.loop().environment().start("rdma-grow", this::growOnce);
        }
    }

    private void growOnce() {
        try {
            int more = credits.growth();
            if (more > 0) { // else the last growth has been noticed by now
                ring.grow(more);
                credits.grew(more);
            }
        } catch (RuntimeException e) {
            credits.stopGrowth();
            log().log(Logger.Level.WARNING, "a receive ring cannot grow and stays at " + ring.made() + " buffers", e);
        } finally {
            ring.endGrowth();
        }
        endpoint.creditsChanged();
    }

    private void giveBack(int slot) {
        if (shared != null) {
            credits.reposted(1, 0);
        }
        ring.giveBack(slot);
        endpoint.creditsChanged();
        givenBack.incrementAndGet();
        releaseIfDone();
    }

    private void releaseIfDone() {
        if (terminated && outstanding() == 0 && memoryHeld.compareAndSet(true, false)) {
            ring.release();
        }
    }

    /** Stops re-posting to this queue pair, unless its ring is shared. */
    void close() {
        if (shared == null) {
            ring.stop();
        }
    }

    /** Returns whether no thread posts to this queue pair, now or later. */
    boolean isQuiet() {
        return shared != null || ring.isQuiet();
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
        releaseIfDone();
        changed();
    }

    /** Drops the messages that arrived and were not polled. The caller is the only consumer from now on. */
    public void discard() {
        ReceivedMessage message;
        while ((message = lend()) != null) {
            message.close();
        }
    }

    private static Logger log() {
        return System.getLogger(ReceiveQueue.class.getName());
    }
}
