package io.rdma.samples.cache;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.OptionalLong;

// Invariants
// - A processor writes a slot as an RDMA client does: only while the slot's word has its owner number.
// - Locks and counters need atomics of processor and device that exclude each other. Where the device does not promise
// that (IBV_ATOMIC_HCA), this class only reads.

/** Slots and counters as the processor of the memory process operates on them. */
final class LocalSlots {
    private final MemorySegment slots;
    private final MemorySegment counters;
    private final int owner;
    private final boolean mayWrite;

    /**
     * Makes the view of some memory.
     *
     * @param owner the owner number of this processor
     * @param mayWrite whether atomics of processor and device exclude each other
     */
    LocalSlots(MemorySegment slots, MemorySegment counters, int owner, boolean mayWrite) {
        this.slots = slots;
        this.counters = counters;
        this.owner = owner;
        this.mayWrite = mayWrite;
    }

    /** Looks for a key in a copy of its slot, because an RDMA client may write the slot between check and use. */
    Slot.Content get(byte[] key) {
        Slot.requireKey(key);
        byte[] copy = slot(index(key)).toArray(ValueLayout.JAVA_BYTE);
        return Slot.decode(MemorySegment.ofArray(copy), key);
    }

    /**
     * Stores a value.
     *
     * @return the version of its slot; empty if another writer has the slot
     */
    OptionalLong put(byte[] key, byte[] value) {
        requireAtomics();
        Slot.requireRoom(Slot.requireKey(key), value);
        MemorySegment slot = slot(index(key));
        long word = (long) Slot.WORD.getVolatile(slot, 0L);
        if (!Slot.isFree(word) || !Slot.WORD.compareAndSet(slot, 0L, word, word | owner)) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(replace(slot, Slot.version(word) + 1, key, value));
    }

    /**
     * Adds to a counter.
     *
     * @return its new value
     */
    long add(int counter, long addend) {
        requireAtomics();
        return (long) Slot.WORD.getAndAdd(counters, CacheMemory.counterOffset(counter), addend) + addend;
    }

    /** Frees the slots of an RDMA client whose queue pair has ended, so that no more writes of it arrive. */
    void free(int client) {
        for (long i = 0; i < slots.byteSize() / Slot.BYTES; i++) {
            MemorySegment slot = slot(i);
            long word = (long) Slot.WORD.getVolatile(slot, 0L);
            if (Slot.owner(word) == client) {
                replace(slot, Slot.version(word) + 1, new byte[0], new byte[0]); // perhaps half written
            }
        }
    }

    /** Writes a slot that is locked, and frees it. */
    private static long replace(MemorySegment slot, long version, byte[] key, byte[] value) {
        Slot.encode(slot.asSlice(Slot.BODY), version, key, value);
        Slot.WORD.setVolatile(slot, 0L, Slot.free(version));
        return version;
    }

    private long index(byte[] key) {
        return Slot.index(key, slots.byteSize() / Slot.BYTES);
    }

    private MemorySegment slot(long index) {
        return slots.asSlice(index * Slot.BYTES, Slot.BYTES);
    }

    private void requireAtomics() {
        if (!mayWrite) {
            throw new UnsupportedOperationException("the memory process may only read, because atomics of this device"
                    + " do not exclude those of the processor: use RDMA");
        }
    }
}
