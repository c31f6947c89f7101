package io.rdma.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.CleanableDirectBuffer;
import java.nio.ByteBuffer;

/** Buffer in a piece of registered memory. When it grows beyond the piece, it moves to a larger one. */
final class SlabByteBuf extends BorrowedByteBuf {
    private final SlabPool pool;
    private final SlabPiece piece;

    SlabByteBuf(ByteBufAllocator allocator, SlabPool pool, SlabPiece piece) {
        super(allocator, piece.view(piece.size()));
        this.pool = pool;
        this.piece = piece;
    }

    @Override
    void giveBack(boolean reusable) {
        if (!reusable) {
            piece.abandonBuffer();
        }
        piece.giveBack();
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
}
