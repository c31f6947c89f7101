package io.rdma.internal.structures;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

// Guarantees on which the protocols rely, and no others:
// - Eight aligned bytes change by a compare-and-swap or a fetch-and-add as one step, among all users of this interface.
// A load sees them at one moment.
// - A swap behind a write takes place when all bytes of the write are there.
// - The bytes of a read are read in any order, while other accesses change them. Atomics exclude each other only, so
// not even eight aligned bytes of a read are of one moment. A single byte is.
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
     * Reads a word at one moment.
     *
     * @param then gets the word
     */
    default void load(long offset, LongConsumer then, Consumer<Throwable> failed) {
        fetchAndAdd(offset, 0, then, failed);
    }

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

    /** Bytes that are ready to be written: to write them waits for nothing here. One of its methods ends it. */
    interface Prepared {
        /**
         * Writes the bytes, and behind them replaces a word if it has the expected value. If the write is not refused
         * at this client, the bytes are written in any case.
         *
         * @param then gets the old value
         */
        void writeThenSwap(
                long offset,
                long wordOffset,
                long expected,
                long update,
                LongConsumer then,
                Consumer<Throwable> failed);

        /** Gives back what the bytes occupy, if they are not written. A second call does nothing. */
        default void discard() {}
    }

    /**
     * Makes bytes ready to be written, which may wait. This one is for an access whose writes fail by exceptions only.
     *
     * @param then gets them; what it throws ends them, and is told
     */
    default void prepare(byte[] bytes, Consumer<Prepared> then, Consumer<Throwable> failed) {
        then.accept((offset, wordOffset, expected, update, swapped, lost) -> {
            write(offset, bytes, () -> {}, lost);
            compareAndSwap(wordOffset, expected, update, swapped, lost);
        });
    }

    /**
     * Ends this client's use of the memory, as the host sees it, because the client has left something behind that the
     * host's recovery alone can remove.
     */
    void end(Throwable cause);

    /** Returns the time of this client's clock. No other client's clock is ever compared with it. */
    long nanoTime();

    /** Runs a task after some time, unless that fails at once by an exception. */
    void after(long nanos, Runnable task);

    /** Returns a random number from 0 to one less than the bound, so that clients that collide part. */
    long random(long bound);
}
