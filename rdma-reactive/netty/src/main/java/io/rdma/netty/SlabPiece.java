package io.rdma.netty;

import io.netty.buffer.ByteBufAllocator;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Piece of a slab, with the buffer that is used again whenever the piece is. */
final class SlabPiece {
    private final SlabPool pool;
    private final int sizeClass;
    private final ByteBuffer memory;
    private @Nullable SlabByteBuf buffer;

    SlabPiece(SlabPool pool, int sizeClass, MemorySegment memory) {
        this.pool = pool;
        this.sizeClass = sizeClass;
        this.memory = memory.asByteBuffer();
    }

    int sizeClass() {
        return sizeClass;
    }

    int size() {
        return memory.capacity();
    }

    /** Returns a view of its first bytes. */
    ByteBuffer view(int bytes) {
        return memory.slice(0, bytes);
    }

    /** Returns the buffer of this piece, empty and not shared. */
    SlabByteBuf buffer(ByteBufAllocator allocator, SlabPool from, int capacity, int maxCapacity) {
        SlabByteBuf present = buffer;
        if (present == null) {
            present = new SlabByteBuf(allocator, from, this);
            buffer = present;
        } else {
            present.reopen();
        }
        present.open(capacity, maxCapacity, 0);
        return present;
    }

    /** Notes that the buffer uses other memory now, so that this piece needs a new one. */
    void abandonBuffer() {
        buffer = null;
    }

    void giveBack() {
        pool.giveBack(this);
    }
}
