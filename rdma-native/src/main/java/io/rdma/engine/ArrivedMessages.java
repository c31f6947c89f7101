package io.rdma.engine;

import io.rdma.buffer.MessageLender;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.verbs.CompletionBatch;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;

// Invariants
// - A slot's entries belong to who has the slot: the loop writes them before it hands the slot to a connection's queue,
// and who takes it from there reads them before the slot can be given back.

/**
 * What the completions said of the messages in a ring's slots; a handle is made of it when the application takes the
 * message.
 */
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

    /** A message without its frame is in a slot. Loop. */
    void put(int slot, int length, CompletionBatch completions, int index) {
        boolean invalidated = completions.hasInvalidatedKey(index);
        lengths[slot] = length;
        data[slot] = data(completions, index, invalidated);
        flags[slot] = (byte) ((completions.hasImmediate(index) ? IMMEDIATE : 0) | (invalidated ? INVALIDATED : 0));
    }

    /** They have the same place in C, in different byte orders. */
    static int data(CompletionBatch completions, int index, boolean invalidated) {
        return invalidated ? completions.invalidatedKey(index) : completions.immediate(index);
    }

    /** A handle for good. Who took the slot from its queue. */
    ReceivedMessage own(int slot, MemorySegment memory, IntConsumer giveBack) {
        return new ReceivedMessage(
                memory, lengths[slot], has(slot, IMMEDIATE), has(slot, INVALIDATED), data[slot], giveBack, slot);
    }

    /** By the handle of a lender. Who took the slot from its queue. */
    ReceivedMessage lend(MessageLender lender, int slot, MemorySegment memory) {
        return lender.lend(memory, lengths[slot], has(slot, IMMEDIATE), has(slot, INVALIDATED), data[slot]);
    }

    private boolean has(int slot, byte flag) {
        return (flags[slot] & flag) != 0;
    }
}
