package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.internal.CleanableDirectBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

// Invariants
// - `piece` is the memory of the buffer, until it grows beyond the piece. It then moves to memory that the superclass
// frees, and gives the piece back.
// - A buffer that still has its piece is used again with it: the superclass is never told that it ended.

/** Buffer in registered memory: it grows within its piece in place, and moves to a larger piece beyond that. */
final class SlabByteBuf extends UnpooledDirectByteBuf {
    private final SlabPool pool;
    private @Nullable SlabPiece piece;
    private int visible;

    SlabByteBuf(ByteBufAllocator allocator, SlabPool pool, SlabPiece piece) {
        super(allocator, piece.view(piece.size()), Integer.MAX_VALUE);
        this.pool = pool;
        this.piece = piece;
    }

    /** Begins another life. */
    void reopen() {
        resetRefCnt();
    }

    /** Sets the bounds of an empty buffer. */
    void limitTo(int capacity, int maxCapacity) {
        maxCapacity(maxCapacity);
        visible = capacity;
        setIndex(0, 0);
        markReaderIndex();
        markWriterIndex();
    }

    @Override
    public int capacity() {
        return piece == null ? super.capacity() : visible;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        SlabPiece present = piece;
        if (present == null) {
            return super.capacity(newCapacity);
        }
        checkNewCapacity(newCapacity);
        if (newCapacity <= present.size()) {
            if (newCapacity < visible) {
                trimIndicesToCapacity(newCapacity);
            }
            visible = newCapacity;
            return this;
        }
        super.capacity(newCapacity); // copies all of the piece
        piece = null;
        present.abandonBuffer();
        present.giveBack();
        return this;
    }

    @Override
    protected CleanableDirectBuffer allocateDirectBuffer(int capacity) {
        SlabPiece larger = pool.take(capacity);
        return larger == null ? super.allocateDirectBuffer(capacity) : new Moved(larger, larger.view(capacity));
    }

    /** Memory of a buffer that has grown beyond its first piece. */
    private record Moved(SlabPiece piece, ByteBuffer buffer) implements CleanableDirectBuffer {
        @Override
        public void clean() {
            piece.giveBack();
        }
    }

    @Override
    protected void deallocate() {
        SlabPiece present = piece;
        if (present == null) {
            super.deallocate();
        } else {
            present.giveBack();
        }
    }
}
