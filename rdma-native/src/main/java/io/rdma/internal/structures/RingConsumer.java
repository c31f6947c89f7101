package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

// Invariant: what was taken is cleared before the producer learns that there is room, so it never clears a later entry.

/** The consumer's side of a ring, in whose memory it lies. Callers take turns. */
final class RingConsumer {
    private final MemorySegment memory;
    private final RingLayout layout;
    private long position; // of the first entry that is not taken

    RingConsumer(MemorySegment memory, RingLayout layout) {
        this.memory = memory;
        this.layout = layout;
        layout.taken(memory, position);
    }

    /** Returns the next entry, which stays in the ring; null if it has not arrived. */
    byte @Nullable [] peek() {
        while (true) {
            RingLayout.Found found = layout.decode(memory, position);
            if (found == null || found.content() != null) {
                return found == null ? null : found.content();
            }
            advance(found.room());
        }
    }

    /** Takes the entry that {@link #peek} has returned. */
    void take(byte[] entry) {
        advance(RingLayout.room(entry.length));
    }

    /** Frees the room of what was taken, without its content: that of an entry may be that of a later one. */
    private void advance(int room) {
        memory.asSlice(layout.offset(position), room).fill((byte) 0);
        position += room;
        layout.taken(memory, position);
    }
}
