package io.rdma.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;

// Invariants
// - The buffer uses borrowed memory until it grows beyond it. It then moves to memory that the superclass frees, and
// gives the borrowed memory back at once.
// - A buffer that was released without having moved can be used again: the superclass is never told that it ended. One
// that has moved cannot.
// - The last release touches nothing of the buffer behind giveBack(), because another thread may use it again then.

/**
 * Buffer in memory that it has borrowed. It grows in that memory in place. The object is used again with the memory, so
 * that a buffer makes no garbage.
 */
abstract class BorrowedByteBuf extends UnpooledDirectByteBuf {
    private final int room;
    private int visible;
    private boolean borrows; // false while the superclass is constructed, and after the move

    /**
     * Creates a buffer, to be {@link #open opened}.
     *
     * @param allocator of further memory, if the pipeline enlarges the buffer beyond its memory
     * @param memory all of it
     */
    BorrowedByteBuf(ByteBufAllocator allocator, ByteBuffer memory) {
        super(allocator, memory, Integer.MAX_VALUE);
        room = memory.remaining();
        borrows = true;
    }

    /** Begins another life of a buffer that was released. */
    final void reopen() {
        resetRefCnt();
    }

    /** Sets bounds and indices of a buffer that is not shared. */
    final void open(int capacity, int maxCapacity, int written) {
        maxCapacity(maxCapacity);
        visible = capacity;
        setIndex(0, written);
        markReaderIndex();
        markWriterIndex();
    }

    /** Returns the bytes of the borrowed memory. */
    final int room() {
        return room;
    }

    /**
     * Gives the borrowed memory back.
     *
     * @param reusable whether the buffer can be used again with that memory
     */
    abstract void giveBack(boolean reusable);

    @Override
    public final int capacity() {
        return borrows ? visible : super.capacity();
    }

    @Override
    public final ByteBuf capacity(int newCapacity) {
        if (!borrows) {
            return super.capacity(newCapacity);
        }
        checkNewCapacity(newCapacity);
        if (newCapacity <= room) {
            if (newCapacity < visible) {
                trimIndicesToCapacity(newCapacity);
            }
            visible = newCapacity;
            return this;
        }
        super.capacity(newCapacity); // copies all of the memory
        borrows = false;
        giveBack(false);
        return this;
    }

    @Override
    protected final void deallocate() {
        if (borrows) {
            giveBack(true);
        } else {
            super.deallocate();
        }
    }
}
