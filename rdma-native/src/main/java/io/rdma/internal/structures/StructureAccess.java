package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

// Guarantees on which the protocols rely, and no others:
// - Eight aligned bytes change by a compare-and-swap or a fetch-and-add as one step, among all users of this interface.
// - A swap behind a write takes place when all bytes of the write are there.
// - The bytes of a read are read in any order, while other accesses change them.
// - Each call ends by one of its two listeners, on any thread, perhaps before it returns. Only a failure may be told
// twice.

/** Memory of a structure as one client reaches it: by RDMA, by the processor of its host, or in a model. */
interface StructureAccess {
    /**
     * Reads bytes.
     *
     * @param then gets the bytes, which are valid during its call
     */
    void read(long offset, int length, Consumer<MemorySegment> then, Consumer<Throwable> failed);

    /**
     * Replaces a word by another one if it has the expected value.
     *
     * @param then gets the old value
     */
    void compareAndSwap(long offset, long expected, long update, LongConsumer then, Consumer<Throwable> failed);

    /**
     * Adds to a word.
     *
     * @param then gets the old value
     */
    void fetchAndAdd(long offset, long addend, LongConsumer then, Consumer<Throwable> failed);

    /**
     * Writes bytes.
     *
     * @param then runs when they are there
     */
    void write(long offset, byte[] bytes, Runnable then, Consumer<Throwable> failed);

    /**
     * Writes bytes, and behind them replaces a word if it has the expected value. The bytes are written in any case.
     *
     * @param then gets the old value
     */
    void writeThenSwap(
            long offset,
            byte[] bytes,
            long wordOffset,
            long expected,
            long update,
            LongConsumer then,
            Consumer<Throwable> failed);

    /** Returns the time of this client's clock. No other client's clock is ever compared with it. */
    long nanoTime();

    /** Runs a task after some time, unless that fails at once by an exception. */
    void after(long nanos, Runnable task);

    /** Returns a random number from 0 to one less than the bound, so that clients that collide part. */
    long random(long bound);
}
