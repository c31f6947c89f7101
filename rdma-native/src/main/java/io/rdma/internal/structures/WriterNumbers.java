package io.rdma.internal.structures;

import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.StructureLocation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.BitSet;

// Invariants
// - The word of a number is odd from before the number is given out until the queue pair of its client is destroyed, so
// that no write of that client can arrive any more. The host's processor alone writes these words; clients read them.
// - Numbers are given out in turn, so one that was given back is not used again soon. Otherwise a claim that its
// former owner left would look like one of the new owner, and others would wait for the lease.

/** The numbers by which the clients of one structure sign their claims. Thread-safe. */
final class WriterNumbers {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;
    private final BitSet used = new BitSet(StructureLocation.MAX_WRITER + 1);
    private final long[] steps = new long[StructureLocation.MAX_WRITER + 1]; // not read back: clients can write there
    private int last;

    WriterNumbers(MemorySegment memory) {
        this.memory = memory;
        used.set(0);
    }

    /** Returns whether the word of a number says that its client may write. */
    static boolean isInUse(MemorySegment word) {
        return (word.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) & 1) != 0;
    }

    synchronized int take() {
        int free = used.nextClearBit(last + 1);
        if (free > StructureLocation.MAX_WRITER) {
            free = used.nextClearBit(1);
        }
        if (free > StructureLocation.MAX_WRITER) {
            throw new StructureException(
                    Reason.TOO_MANY_WRITERS,
                    StructureLocation.MAX_WRITER + " clients are admitted: close connections that are not used, or let"
                            + " several users share one");
        }
        used.set(free);
        last = free;
        step(free);
        return free;
    }

    synchronized void giveBack(int number) {
        step(number);
        used.clear(number);
    }

    private void step(int number) {
        WORD.setVolatile(memory, StructureHeader.writerOffset(number), ++steps[number]);
    }
}
