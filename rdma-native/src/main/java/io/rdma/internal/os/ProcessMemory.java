package io.rdma.internal.os;

import io.rdma.internal.ibv.NativeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

// Invariants
// - No call here can end the process: the kernel does the access, and reports memory that is not there as an error.
// - A copy is one system call, so no other thread can unmap the memory between a check and the access.

/**
 * Access to memory of this process that may be unmapped at any time: {@code process_vm_readv(2)}, {@code madvise(2)}
 * with MADV_POPULATE_READ and MADV_POPULATE_WRITE, and {@code mincore(2)}. The two pieces of
 * MADV_POPULATE advice need Linux 5.14.
 */
public final class ProcessMemory {
    private static final int MADV_POPULATE_READ = 22;
    private static final int MADV_POPULATE_WRITE = 23;
    private static final int IOV_LENGTH = 8;
    private static final int IOV_SIZE = 16;

    private ProcessMemory() {}

    /** The functions, found when they are first needed. */
    private static final class Calls {
        static final MemorySegment READ = SixLongs.symbol("process_vm_readv");
        static final MemorySegment WRITE = SixLongs.symbol("process_vm_writev");
        static final MemorySegment MADVISE = SixLongs.symbol("madvise");
        static final MemorySegment MINCORE = SixLongs.symbol("mincore");
        static final long PID = ProcessHandle.current().pid();
    }

    /** The outcome of a trial: a seccomp profile may forbid the calls, and an old kernel lacks some. */
    private static final class Trial {
        static final boolean PASSED = passes();

        private static boolean passes() {
            if (!SixLongs.supported()) {
                return false;
            }
            try (Arena arena = Arena.ofConfined()) {
                long page = arena.allocate(Pages.SIZE, Pages.SIZE).address();
                return populate(page, Pages.SIZE, true)
                        && populate(page, Pages.SIZE, false)
                        && read(page, page + Long.BYTES, Long.BYTES)
                        && write(page, page + Long.BYTES, Long.BYTES);
            } catch (IllegalStateException | LinkageError e) { // the C library lacks a function
                return false;
            }
        }
    }

    /** Returns whether this system has the calls and allows them. */
    public static boolean isAvailable() {
        return Trial.PASSED;
    }

    /**
     * Copies from memory that may be unmapped.
     *
     * @param from any address
     * @param to memory that is there
     * @param bytes at least 1
     * @return false if not all of it can be read
     */
    public static boolean read(long from, long to, long bytes) {
        return copy(Calls.READ, to, from, bytes);
    }

    /**
     * Copies to memory that may be unmapped.
     *
     * @param from memory that is there
     * @param to any address
     * @param bytes at least 1
     * @return false if not all of it can be written
     */
    public static boolean write(long from, long to, long bytes) {
        return copy(Calls.WRITE, from, to, bytes);
    }

    private static boolean copy(MemorySegment function, long local, long remote, long bytes) {
        long vector = CallState.scratch();
        NativeMemory.putLong(vector, local);
        NativeMemory.putLong(vector + IOV_LENGTH, bytes);
        NativeMemory.putLong(vector + IOV_SIZE, remote);
        NativeMemory.putLong(vector + IOV_SIZE + IOV_LENGTH, bytes);
        return SixLongs.Calls.call(function, Calls.PID, vector, 1, vector + IOV_SIZE, 1, 0) == bytes;
    }

    /**
     * Brings pages into memory.
     *
     * @param write whether they must be writable
     * @return false if a page of the range is not mapped, or does not allow the access
     */
    public static boolean populate(long address, long bytes, boolean write) {
        long start = address & -Pages.SIZE;
        long length = (address + bytes - start + Pages.SIZE - 1) & -Pages.SIZE;
        int advice = write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;
        while ((int) SixLongs.Calls.call(Calls.MADVISE, start, length, advice, 0, 0, 0) != 0) {
            if (CallState.errno() != Libc.EINTR) {
                return false;
            }
        }
        return true;
    }

    /** Taker of ranges of addresses. */
    @FunctionalInterface
    public interface RangeTaker {
        /** Takes a range. */
        void take(long address, long bytes);
    }

    /**
     * Finds the pages that are in memory, without bringing others there.
     *
     * @param found gets each run of such pages, in the order of their addresses
     * @return false if a page of the range is not mapped
     */
    public static boolean resident(long address, long bytes, RangeTaker found) {
        long start = address & -Pages.SIZE;
        long pages = (address + bytes - start + Pages.SIZE - 1) / Pages.SIZE;
        try (Arena arena = Arena.ofConfined()) {
            long states = arena.allocate(Math.max(1, pages)).address();
            if ((int) SixLongs.Calls.call(Calls.MINCORE, start, pages * Pages.SIZE, states, 0, 0, 0) != 0) {
                return false;
            }
            long first = 0; // of the run
            for (long i = 0; i <= pages; i++) {
                if (i == pages || (NativeMemory.getByte(states + i) & 1) == 0) {
                    if (i > first) {
                        found.take(start + first * Pages.SIZE, (i - first) * Pages.SIZE);
                    }
                    first = i + 1;
                }
            }
        }
        return true;
    }
}
