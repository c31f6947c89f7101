package io.rdma.internal.engine;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.internal.loop.BatchReceiver;
import io.rdma.internal.loop.CompletionLoop;
import io.rdma.internal.os.StackRoom;
import io.rdma.verbs.CompletionBatch;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

// Invariants
// - A completed slot is in the inbox, with the application (an open ReceivedMessage), or back in the ring.
// - The ring's memory is held from the start until the queue has terminated and no message is outstanding. The first
// thread that observes both releases it.
// - A lent handle belongs to this queue. Only the queue's one consumer lends it again, once it is closed. So even with
// a shared ring, a second close of a handle never closes a message of another connection.

/** Messages that arrived in the receives of a ring, in order, until the application takes them. */
public abstract sealed class MessageQueue implements ReceiveRing.Device, BatchReceiver
        permits ReceiveQueue, XrcReceiveQueue {
    private final CompletionLoop loop;
    final ReceiveRing ring;
    final ReceiveSlots slots;
    final Credits credits;
    final IntConsumer giveBack = this::giveBack; // one for all messages
    private final Inbox inbox;
    private final AtomicInteger givenBack = new AtomicInteger(); // of the messages that the credits count as received
    private final AtomicBoolean memoryHeld = new AtomicBoolean(true);
    private final CompletableFuture<Void> released = new CompletableFuture<>();
    private boolean newsDue; // (loop)
    private volatile @Nullable Runnable listener;
    private volatile boolean terminated;

    /**
     * Creates the queue and its inbox.
     *
     * @param ring makes the ring, or returns a shared one; gets this queue, which is incomplete
     * @param window slots that this queue may hold of a ring that it shares; 0 for a ring of its own
     */
    MessageQueue(
            CompletionLoop loop, Function<? super ReceiveRing.Device, ReceiveRing> ring, int window, Credits credits) {
        this.loop = loop;
        this.ring = ring.apply(this);
        this.slots = this.ring.slots();
        this.credits = credits;
        this.inbox = new Inbox(this, this.ring, window, credits.framed(), giveBack);
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
     * @return true after the connection or receiver ended
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
                loop.listenerThrew(t);
            }
        }
    }

    /**
     * Queues the message in a slot. Loop.
     *
     * @param immediate whether immediate data are the application's
     */
    void enqueue(int slot, int length, CompletionBatch completions, int index, boolean immediate) {
        ring.arrivals().put(slot, length, completions, index, immediate);
        enqueue(slot, ring.boxed(slot));
    }

    /** Queues an object that stands for the message or messages in a slot. Loop. */
    void enqueue(int slot, Object message) {
        credits.receive();
        ring.holdsControl(slot, false);
        inbox.add(message);
        if (!newsDue) {
            newsDue = true;
            loop.tellAfterDispatch(this);
        }
    }

    /** Notifies the listener, after the batch that brought messages is dispatched. Loop. */
    @Override
    public void dispatched() {
        newsDue = false;
        VarHandle.fullFence(); // the inbox only releases: the consumer sees the message, or the listener sees it wait
        changed();
        Thread.interrupted(); // an interrupt left set by a decoder would end waits of the loop's other receivers
    }

    /** Ends the use of a message in a slot. Gives the slot back if it was the last one there. Any thread. */
    private void giveBack(int slot) {
        if (!ring.arrivals().closeOne(slot)) {
            return;
        }
        givingBack();
        ring.giveBack(slot);
        creditsChanged();
        givenBack.incrementAndGet();
        releaseIfDone();
    }

    /** Notes that a slot is about to be given back. Any thread. */
    void givingBack() {}

    /** Notes that the application waits for messages, or that a slot was given back. Any thread. */
    void creditsChanged() {}

    /** Notes that the queue has terminated, and that another message was given back, if any. Any thread. */
    void leaving() {}

    private void releaseIfDone() {
        if (!terminated) {
            return;
        }
        leaving();
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

    /** Ends the queue and notifies the consumer: no message arrives any more. */
    void terminate() {
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
