package io.rdma.internal.engine;

import io.rdma.buffer.BatchLender;
import io.rdma.buffer.MessageLender;
import io.rdma.buffer.ReceivedMessage;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

// Invariants
// - The loop thread alone adds. One consumer at a time takes. It never overflows, because it has as many places as the
// ring, or as the connection's window of a ring that many share.
// - Of a message in a slot the ring's ArrivedMessages holds the rest. A Fetch stays at the head until it has ended.
// - A batch stays at the head until its last message is taken. `taken` is the number of those that are, and `end` the
// offset behind them.
// - Messages are taken in the order of their arrival, without a gap: none is taken behind one that was lost.

/**
 * Messages of a connection that have arrived and wait for the application. An element is the number of a slot, which
 * has a message or a batch, a datagram, or a message that is still in the peer's memory ({@link Fetch}).
 */
final class Inbox {
    private static final int MOST_HANDLES = 64;
    private static final int HANDLES_OF_SHARED = 8; // where many connections share a ring, each has little memory

    private final MessageQueue queue;
    private final ReceiveRing ring;
    private final ReceiveSlots slots;
    private final boolean framed;
    private final IntConsumer giveBack;
    private final SpscVarHandleArrayQueue<Object> arrived;
    private final @Nullable MessageLender @Nullable [] lenders; // (consumer) by slot; null if many share the ring
    private int taken; // (consumer)
    private int end; // (consumer)
    private final BatchLender shared; // (consumer)
    private @Nullable ReceivedMessage lending; // (consumer) taken last from the batch, and LENT
    private int closed; // (consumer) of the batch, not counted in its slot yet
    private boolean lost; // (consumer)

    /**
     * Creates an empty inbox.
     *
     * @param window slots that the connection may hold of a ring that it shares; 0 for a ring of its own
     * @param framed whether a frame is in front of each message
     * @param giveBack gives the receive buffer in a slot back
     */
    Inbox(MessageQueue queue, ReceiveRing ring, int window, boolean framed, IntConsumer giveBack) {
        this.queue = queue;
        this.ring = ring;
        this.framed = framed;
        this.giveBack = giveBack;
        slots = ring.slots();
        int places = window == 0 ? slots.count() : window + 1; // a fetch that failed is here, and its slot is not
        shared = new BatchLender(giveBack, window == 0 ? MOST_HANDLES : HANDLES_OF_SHARED);
        arrived = new SpscVarHandleArrayQueue<>(Math.max(4, places));
        lenders = window == 0 ? new @Nullable MessageLender[slots.count()] : null;
    }

    /** Returns for how many messages there is room: at least one for each receive buffer that the connection holds. */
    int places() {
        return arrived.capacity();
    }

    /** Adds a message. Loop. */
    void add(Object message) {
        arrived.add(message);
    }

    /**
     * Returns whether a poll would find nothing now: also while a large message is being read, but not before that,
     * because a poll starts the read. Any thread.
     */
    boolean isEmpty() {
        Object head = arrived.peek();
        return head == null || head instanceof Fetch fetch && fetch.isReading();
    }

    /**
     * Takes the next message. Consumer.
     *
     * @param lent whether the handle of the message may be used again for a later message of the connection
     * @return null if none waits, or if the next one is still being read
     */
    @Nullable
    ReceivedMessage poll(boolean lent) {
        if (lost) {
            dropAll();
            return null;
        }
        Object head = arrived.peek();
        if (head == null) {
            VarHandle.fullFence(); // a close on another thread counts its receive, and then looks for messages here
            queue.creditsChanged(); // the application waits for more
            return null;
        }
        if (head instanceof Integer slot) {
            if (ring.arrivals().batch(slot) > 0) {
                return nextOfBatch(slot, lent);
            }
            MemorySegment memory = framed ? slots.buffer(slot) : slots.whole(slot); // begins with the message
            ReceivedMessage message =
                    lent ? lend(slot, memory) : ring.arrivals().own(slot, memory, giveBack);
            arrived.poll(); // last: if there was no memory for the handle, the message is still here
            return message;
        }
        if (head instanceof ReceivedMessage datagram) {
            arrived.poll();
            return datagram;
        }
        return fetched((Fetch) head);
    }

    private ReceivedMessage nextOfBatch(int slot, boolean lent) {
        ArrivedMessages arrivals = ring.arrivals();
        int messages = arrivals.batch(slot);
        MemorySegment memory = slots.buffer(slot);
        int length = BatchLayout.length(memory, arrivals.length(slot), messages, taken);
        int start = BatchLayout.next(end);
        boolean last = taken + 1 == messages;
        endLending();
        if (last) {
            countClosed(slot);
        }
        ReceivedMessage message = lent ? shared.lend(memory, start, length, slot, last) : null;
        lending = last ? null : message;
        if (message == null) {
            message = new ReceivedMessage(memory.asSlice(start, length), false, 0, giveBack, slot);
        }
        end = start + length;
        taken++;
        if (last) {
            nextHead();
        }
        return message;
    }

    /** Returns whether the close of the next message, if it is lent, changes only the state of its handle. Consumer. */
    boolean isNextOfSeveral() {
        return !lost
                && arrived.peek() instanceof Integer slot
                && taken + 1 < ring.arrivals().batch(slot)
                && shared.isLending();
    }

    /** Closes a message. Cheaper than its own close if it was taken last. Consumer. */
    void close(ReceivedMessage message) {
        if (message != lending || !shared.close(message)) {
            message.close();
        }
    }

    private void endLending() {
        ReceivedMessage before = lending;
        if (before != null) {
            lending = null;
            closed += shared.keepIfOpen(before) ? 0 : 1; // one that is open counts itself
        }
    }

    private void countClosed(int slot) {
        if (closed > 0) {
            ring.arrivals().close(slot, closed);
            closed = 0;
        }
    }

    private void nextHead() {
        arrived.poll();
        taken = 0;
        end = 0;
    }

    private @Nullable ReceivedMessage fetched(Fetch fetch) {
        fetch.start();
        if (!fetch.isEnded()) {
            return null; // the listener is notified when it has ended
        }
        if (fetch.isFailed()) {
            lost = true;
            dropAll();
            return null;
        }
        ReceivedMessage message = fetch.message();
        arrived.poll();
        return message;
    }

    /**
     * Lends a handle for the only message in a slot. A slot of the connection's own ring has a handle of its own. There
     * may be thousands of slots that it shares, so their messages use a few handles in turn.
     */
    private ReceivedMessage lend(int slot, MemorySegment memory) {
        @Nullable MessageLender[] own = lenders;
        if (own == null) {
            return ring.arrivals().lend(shared, slot, memory, giveBack);
        }
        MessageLender lender = own[slot];
        if (lender == null) {
            lender = new MessageLender(giveBack, slot);
            own[slot] = lender;
        }
        return ring.arrivals().lend(lender, slot, memory);
    }

    /**
     * Gives back a message that could not be read, and all that wait behind it. A consumer that got those would miss
     * one in their midst. The connection has failed, so the consumer is notified of its end next.
     */
    private void dropAll() {
        for (Object head; (head = arrived.peek()) != null; nextHead()) {
            if (head instanceof Integer slot) {
                endLending();
                countClosed(slot);
                int messages = Math.max(1, ring.arrivals().batch(slot));
                for (int i = taken; i < messages; i++) {
                    giveBack.accept(slot);
                }
            } else if (head instanceof Fetch fetch) {
                fetch.fail(); // only a fetch at the head was ever started, so no message is here
            }
        }
    }
}
