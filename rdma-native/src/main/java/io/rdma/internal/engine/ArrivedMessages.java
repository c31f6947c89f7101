package io.rdma.internal.engine;

import io.rdma.buffer.BatchLender;
import io.rdma.buffer.MessageLender;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.verbs.CompletionBatch;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;

// Invariants
// - A slot's entries belong to the thread that has the slot. The loop writes them before it hands the slot to a
// connection's queue. The consumer that takes it from there reads them before the slot can be given back.
// - `open` counts the messages of a batch that are not closed. The thread that closes the last one has the slot.

/** Completion fields of the messages in a ring's slots. A handle is made from them when a message is taken. */
final class ArrivedMessages {
    private static final byte IMMEDIATE = 1;
    private static final byte INVALIDATED = 2;

    private final int[] lengths;
    private final int[] data;
    private final byte[] flags;
    private final int[] batches; // number of messages where a slot has a batch, else 0
    private final AtomicIntegerArray open;

    ArrivedMessages(int slots) {
        lengths = new int[slots];
        data = new int[slots];
        flags = new byte[slots];
        batches = new int[slots];
        open = new AtomicIntegerArray(slots);
    }

    /**
     * Records the message in a slot; its length is without the frame. Loop.
     *
     * @param immediate whether immediate data are the application's
     */
    void put(int slot, int length, CompletionBatch completions, int index, boolean immediate) {
        boolean invalidated = completions.hasInvalidatedKey(index);
        putSingle(slot);
        lengths[slot] = length;
        data[slot] = data(completions, index, invalidated);
        flags[slot] = (byte)
                ((immediate && completions.hasImmediate(index) ? IMMEDIATE : 0) | (invalidated ? INVALIDATED : 0));
    }

    /** Records that a slot has one message, of which the fields are elsewhere. Loop. */
    void putSingle(int slot) {
        batches[slot] = 0;
    }

    /**
     * Records a batch in a slot. Loop.
     *
     * @param length of the payload
     * @param messages their number
     */
    void putBatch(int slot, int length, int messages) {
        lengths[slot] = length;
        batches[slot] = messages;
        open.setPlain(slot, messages);
    }

    /** Returns the number of messages of the batch in a slot; 0 if it has no batch. For the consumer. */
    int batch(int slot) {
        return batches[slot];
    }

    /** Returns the length of the payload in a slot. For the consumer. */
    int length(int slot) {
        return lengths[slot];
    }

    /** Counts a message in a slot as closed. Returns whether it was the last one there. Any thread that has one. */
    boolean closeOne(int slot) {
        return batches[slot] == 0 || open.decrementAndGet(slot) == 0;
    }

    /** Counts messages in a slot as closed, but not the last open one there. Any thread that has that one. */
    void close(int slot, int messages) {
        open.addAndGet(slot, -messages);
    }

    /** Returns the key or the immediate data. Both have the same place in C's struct, in different byte orders. */
    static int data(CompletionBatch completions, int index, boolean invalidated) {
        return invalidated ? completions.invalidatedKey(index) : completions.immediate(index);
    }

    /** Makes a handle that is never reused. For the consumer that took the slot from its queue. */
    ReceivedMessage own(int slot, MemorySegment memory, IntConsumer giveBack) {
        return new ReceivedMessage(
                memory, lengths[slot], has(slot, IMMEDIATE), has(slot, INVALIDATED), data[slot], giveBack, slot);
    }

    /** Opens the handle of a lender. For the consumer that took the slot from its queue. */
    ReceivedMessage lend(MessageLender lender, int slot, MemorySegment memory) {
        return lender.lend(memory, lengths[slot], has(slot, IMMEDIATE), has(slot, INVALIDATED), data[slot]);
    }

    /** Opens one of a connection's handles. For the consumer that took the slot from its queue. */
    ReceivedMessage lend(BatchLender lender, int slot, MemorySegment memory, IntConsumer giveBack) {
        ReceivedMessage handle =
                lender.lend(memory, lengths[slot], has(slot, IMMEDIATE), has(slot, INVALIDATED), data[slot], slot);
        return handle == null ? own(slot, memory, giveBack) : handle;
    }

    private boolean has(int slot, byte flag) {
        return (flags[slot] & flag) != 0;
    }
}
