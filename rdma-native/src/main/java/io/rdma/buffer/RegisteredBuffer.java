package io.rdma.buffer;

import io.rdma.internal.os.StackRoom;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

// Invariants
// - One packed word holds the state: READERS (the device reads: sends, writes) in the low bits, LOOP_READS (the loop's
// own count of readers is above zero), WRITING (the device writes: target of a read), CLOSED (the caller's interest has
// ended). The memory is given back exactly once, by the thread that makes the word CLOSED and idle.
// - A buffer belongs to the first loop that borrows it while it is borrowed already, for the rest of its lease. That
// loop counts its own borrows in a plain field, without atomic instructions as long as the count stays above zero. All
// other threads, other loops among them, change READERS. A borrow ends where it began: in the loop's own count, or in
// READERS.
// - A handle belongs to one lease and is never reused, but its memory is. The exclusive handle is the exception: it
// passes from owner to owner (pool, stream, engine) and has a single owner at any time. So it needs no word, and the
// one close by its last owner ends the lease.

/**
 * A piece of registered memory, leased to the caller until {@link #close}.
 *
 * <p>Operations borrow it. While the device reads it (send, write), the caller may read but not write. While the device
 * writes it (RDMA read), the caller may do neither. {@code close} is safe at any time and ends only the caller's
 * interest; the memory goes back when the device is done as well. Thread-safe, but the caller must order threads that
 * write the same bytes.
 */
public final class RegisteredBuffer implements AutoCloseable {
    private static final int CLOSED = 1 << 31;
    private static final int WRITING = 1 << 30;
    private static final int LOOP_READS = 1 << 29;

    private static final String READ_BEGAN = "a send or write began";

    private static final int NOT_EXCLUSIVE = -1;
    private static final int FOREIGN = -2; // the application may close the arena of the memory
    private static final int ONE_MESSAGE = -3; // the region was registered for one message alone

    // A field updater instead of an AtomicInteger saves one object per lease.
    private static final AtomicIntegerFieldUpdater<RegisteredBuffer> WORD =
            AtomicIntegerFieldUpdater.newUpdater(RegisteredBuffer.class, "word");

    private static final AtomicReferenceFieldUpdater<RegisteredBuffer, Object> LOOP =
            AtomicReferenceFieldUpdater.newUpdater(RegisteredBuffer.class, Object.class, "loop");

    private final MemoryRegion region;
    private final MemorySegment memory;
    private final long address; // of the memory
    private final LeaseOwner owner;
    private final LeakDetector.@Nullable Trace trace;
    private final int place; // of an exclusive lease; else NOT_EXCLUSIVE, FOREIGN or ONE_MESSAGE
    private volatile int word;
    private volatile @Nullable Object loop; // to which the buffer belongs
    private int loopReads; // (loop)
    private int limit; // plain: the thread that sets it hands the buffer over with ordering

    /**
     * Creates a lease. It does not retain the region; the code that makes the lease does.
     *
     * @param region that covers the memory
     * @param memory inside the region, at most 2 GiB - 1
     * @param owner gets the memory back when caller and device are done
     */
    RegisteredBuffer(MemoryRegion region, MemorySegment memory, LeaseOwner owner) {
        this(region, memory, false, owner);
    }

    /**
     * Creates a lease, perhaps of memory of the application.
     *
     * @param foreign whether the application may close the arena of the memory: each use checks whether it did
     */
    RegisteredBuffer(MemoryRegion region, MemorySegment memory, boolean foreign, LeaseOwner owner) {
        this(region, memory, foreign ? FOREIGN : NOT_EXCLUSIVE, owner);
    }

    private RegisteredBuffer(MemoryRegion region, MemorySegment memory, int place, LeaseOwner owner) {
        this.region = region;
        this.memory = memory;
        this.address = memory.address();
        this.owner = owner;
        this.limit = Math.toIntExact(memory.byteSize());
        this.place = place;
        this.trace = LeakDetector.watch(this, "a buffer");
    }

    /** Creates the exclusive handle of a piece of memory, used by all its exclusive leases, one after the other. */
    RegisteredBuffer(MemoryRegion region, MemorySegment memory, LeaseOwner owner, int place) {
        this.region = region;
        this.memory = memory;
        this.address = memory.address();
        this.owner = owner;
        this.place = place;
        this.trace = null;
    }

    /**
     * Creates a buffer over a part of the caller's region, for use as source or target. It holds the region until it is
     * closed and idle.
     *
     * @param region open
     * @param offset first byte
     * @param bytes length, at most 2 GiB - 1
     * @return the buffer; close it
     * @throws IllegalStateException if the region is closed
     * @throws IllegalArgumentException if the region is zero-based, or of memory that the CPU cannot reach
     * @throws IndexOutOfBoundsException if the part does not lie inside the region
     */
    public static RegisteredBuffer of(MemoryRegion region, long offset, int bytes) {
        if (region.address() != region.segment().address()) {
            throw new IllegalArgumentException(
                    "a RegisteredBuffer needs the addresses of its region, and this region is zero-based: register it"
                            + " without ZERO_BASED, or post its work requests with a SendChain");
        }
        MemorySegment part = region.segment().asSlice(offset, bytes);
        region.retain();
        return new RegisteredBuffer(region, part, true, region::release);
    }

    /**
     * Creates the buffer of one message over the whole of a region that was registered for this message alone and that
     * a peer may read. It holds the region until it is closed and idle. For the engine, which gives the peer the key of
     * the region when it sends the message.
     *
     * @param region open, with memory of its own
     * @return the buffer; close it
     */
    public static RegisteredBuffer ofMessage(MemoryRegion region) {
        region.retain();
        return new RegisteredBuffer(region, region.segment(), ONE_MESSAGE, region::release);
    }

    /**
     * Returns whether the buffer was made by {@link #ofMessage}.
     *
     * @return true if its key reaches no memory but that of its message
     */
    public boolean isOfOneMessage() {
        return place == ONE_MESSAGE;
    }

    /**
     * Returns the index of an exclusive lease's buffer in its pool. The holder of an exclusive lease passes it to the
     * engine only, and closes it exactly once.
     *
     * @return 0 to one less than {@link BufferPool#count}; -1 for a lease that is not exclusive
     */
    public int place() {
        return Math.max(place, NOT_EXCLUSIVE);
    }

    private boolean isExclusive() {
        return place >= 0;
    }

    /**
     * Returns the size of the memory.
     *
     * @return bytes
     */
    public int capacity() {
        return (int) memory.byteSize();
    }

    /**
     * Returns the number of bytes that an operation uses, from the start.
     *
     * @return bytes, {@link #capacity} unless changed
     */
    public int limit() {
        return limit;
    }

    /**
     * Sets the number of bytes that the next operation uses.
     *
     * @param bytes 0 to {@link #capacity}
     * @return this
     */
    public RegisteredBuffer limit(int bytes) {
        if (bytes < 0 || bytes > capacity()) {
            throw new IllegalArgumentException("limit must be from 0 to " + capacity() + ": " + bytes);
        }
        limit = bytes;
        return this;
    }

    /**
     * Returns the memory.
     *
     * @return writable when the device is idle, read-only while the device reads it, and if the memory is read-only
     * @throws IllegalStateException if the buffer is closed, or the device is writing it
     */
    public MemorySegment segment() {
        int now = word;
        if ((now & CLOSED) != 0) {
            throw closedHandle();
        }
        if ((now & WRITING) != 0) {
            throw new IllegalStateException("the device writes this buffer now: wait for the read to complete");
        }
        return now == 0 ? memory : memory.asReadOnly();
    }

    /**
     * Returns the memory as a peer addresses it. The peer's rights were fixed when the region was registered.
     *
     * @return the first {@link #limit} bytes
     */
    public RemoteMemory remote() {
        return new RemoteMemory(address, limit, region.rkey());
    }

    /**
     * Returns the address of the first byte, for a work request.
     *
     * @return address
     */
    public long address() {
        return address;
    }

    /**
     * Returns the local key, for a work request.
     *
     * @return lkey
     */
    public int lkey() {
        return region.lkey();
    }

    /**
     * Marks the start of a read by the device.
     *
     * @throws IllegalStateException if closed, or being written by the device
     */
    public void beginRead() {
        if (isExclusive()) {
            return;
        }
        requireMemory();
        addReader(1);
    }

    private void addReader(int more) {
        for (; ; ) {
            int now = word;
            if ((now & CLOSED) != 0) {
                throw closedHandle();
            }
            if ((now & WRITING) != 0) {
                throw new IllegalStateException(
                        "the device writes this buffer now, it cannot be a source: wait for the read to complete");
            }
            touched(READ_BEGAN); // first: if it throws, the count is unchanged
            if (WORD.compareAndSet(this, now, now + more)) {
                return;
            }
        }
    }

    /**
     * Marks the start of a read by the device in the loop's own count, if the buffer belongs to the loop. Loop.
     *
     * @param by the loop, which will also call {@link #endLoopRead}
     * @return false if the buffer does not belong to the loop, and nothing was begun
     * @throws IllegalStateException if closed, or being written by the device
     */
    public boolean beginLoopRead(Object by) {
        if (loop != by && !becomesOf(by)) {
            return false;
        }
        requireMemory();
        if (loopReads == 0) {
            addReader(LOOP_READS);
        } else { // the device reads it, so it does not write it
            if ((word & CLOSED) != 0) {
                throw closedHandle();
            }
            touched(READ_BEGAN);
        }
        loopReads++;
        return true;
    }

    /** Makes a buffer that is in use and belongs to no loop the loop's. The word of an exclusive lease is always 0. */
    @SuppressWarnings("NullAway") // the updater takes null
    private boolean becomesOf(Object by) {
        return word != 0 && loop == null && LOOP.compareAndSet(this, null, by);
    }

    /** Marks the end of one {@link #beginLoopRead}. The same loop. */
    public void endLoopRead() {
        if (loopReads > 1) {
            loopReads--;
            return;
        }
        int now = WORD.addAndGet(this, -LOOP_READS); // first: if it throws, the count is unchanged
        loopReads = 0;
        if (now == CLOSED) {
            owner.giveBack();
        }
    }

    /** Marks the end of one {@link #beginRead}. */
    public void endRead() {
        if (!isExclusive() && WORD.decrementAndGet(this) == CLOSED) {
            owner.giveBack();
        }
    }

    /**
     * Marks the start of a write by the device.
     *
     * @throws IllegalStateException if closed or in use by the device
     * @throws IllegalArgumentException if the memory is read-only
     */
    public void beginWrite() {
        if (isExclusive()) {
            return;
        }
        requireMemory();
        if (isForeign() && memory.isReadOnly()) {
            throw new IllegalArgumentException(
                    "the buffer's memory is read-only, so it can be a source and no target: map the file READ_WRITE");
        }
        touched("a read began"); // first: if it throws, nothing was begun
        if (!WORD.compareAndSet(this, 0, WRITING)) {
            if ((word & CLOSED) != 0) {
                throw closedHandle();
            }
            throw new IllegalStateException(
                    "the buffer is in use by an operation in flight, it cannot be a target: wait for it to complete");
        }
    }

    /**
     * Checks that the memory still exists. The engine checks at the submit and again when it posts. Closing the arena
     * after that frees memory that the device still uses.
     *
     * @throws IllegalStateException if the arena of the memory is closed
     */
    public void requireMemory() {
        if (isForeign() && !memory.scope().isAlive()) {
            throw new IllegalStateException(
                    "the arena of the buffer's memory is closed: close it after the buffer and after its operations"
                            + " have ended");
        }
    }

    /**
     * Copies the first bytes of borrowed memory. A concurrent close of the arena either waits for the copy, by failing,
     * or makes it fail.
     *
     * @param target as long as the bytes to copy
     * @throws IllegalStateException if the arena of the memory is closed
     */
    public void copyTo(MemorySegment target) {
        requireMemory();
        MemorySegment.copy(memory, 0, target, 0, target.byteSize());
    }

    /**
     * Returns whether the memory is that of a region of the application, which may free it at any time.
     *
     * @return false for a buffer of a pool
     */
    public boolean isForeign() {
        return place == FOREIGN;
    }

    private void touched(String how) {
        if (trace != null) {
            trace.touch(how);
        }
    }

    /** Marks the end of {@link #beginWrite}. */
    public void endWrite() {
        if (!isExclusive() && WORD.addAndGet(this, -WRITING) == CLOSED) {
            owner.giveBack();
        }
    }

    /**
     * Returns whether {@link #close} was called.
     *
     * @return true if so, even while the device still uses the memory
     */
    public boolean isClosed() {
        return (word & CLOSED) != 0;
    }

    /**
     * Ends the caller's interest in the memory. Never waits. A second call does nothing.
     *
     * @throws StackOverflowError if the caller's stack is nearly full; the buffer is open then
     */
    @Override
    public void close() {
        if (isExclusive()) { // closed by the engine, also in a clean-up that must not fail
            owner.giveBack();
            return;
        }
        StackRoom.require(StackRoom.RELEASE);
        int before = WORD.getAndUpdate(this, now -> now | CLOSED);
        if (trace != null) {
            trace.close();
        }
        if (before == 0) {
            owner.giveBack();
        }
    }

    private static IllegalStateException closedHandle() {
        return new IllegalStateException("buffer is closed: acquire another one");
    }
}
