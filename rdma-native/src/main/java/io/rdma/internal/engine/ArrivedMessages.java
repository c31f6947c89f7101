package io.rdma.internal.engine;

import io.rdma.buffer.MessageLender;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.verbs.CompletionBatch;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

// Invariants
// - A slot's entries belong to the thread that has the slot. The loop writes them before it hands the slot to a
// connection's queue. The consumer that takes it from there reads them before the slot can be given back.

/** Completion fields of the messages in a ring's slots. A handle is made from them when a message is taken. */
final class ArrivedMessages {
    private static final byte IMMEDIATE = 1;
    private static final byte INVALIDATED = 2;

    private final int[] lengths;
    private final int[] data;
    private final byte[] flags;

    ArrivedMessages(int slots) {
        lengths = new int[slots];
        data = new int[slots];
        flags = new byte[slots];
    }

    /** Records the message in a slot; its length is without the frame. Loop. */
    void put(int slot, int length, CompletionBatch completions, int index) {
        boolean invalidated = completions.hasInvalidatedKey(index);
        lengths[slot] = length;
        data[slot] = data(completions, index, invalidated);
        flags[slot] = (byte) ((completions.hasImmediate(index) ? IMMEDIATE : 0) | (invalidated ? INVALIDATED : 0));
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

    private boolean has(int slot, byte flag) {
        return (flags[slot] & flag) != 0;
    }
}
