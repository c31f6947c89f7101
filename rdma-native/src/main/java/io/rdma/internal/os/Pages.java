package io.rdma.internal.os;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.rdma.types.HugePages;
import io.rdma.types.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

// Invariant: the kernel zeroes mapped memory when it is first touched. The JDK would write zeros to all of it at once,
// millions of them before the first message.

/**
 * Allocation of memory in whole pages. With fork support, the advice to the kernel would otherwise also affect the
 * neighbours that share a page with a slab.
 */
public final class Pages {
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_HUGETLB = 0x40000;
    private static final int MAP_HUGE_2MB = 21 << 26;
    private static final int MADV_HUGEPAGE = 14;
    /** Size from which {@code malloc(3)} maps memory, too; it takes less from its heap. */
    private static final int LEAST_MAPPED = 128 << 10;

    private static final boolean LINUX = System.getProperty("os.name").startsWith("Linux");
    static final long SIZE = size();

    private Pages() {}

    /** Returns the result of {@code getpagesize(2)}; 64 KiB on some arm64 kernels. */
    private static long size() {
        if (LINUX) {
            return (int) Mapping.call(SixLongs.symbol("getpagesize"), 0, 0, 0, 0, 0);
        }
        Linker linker = Linker.nativeLinker();
        MemorySegment function = linker.defaultLookup().find("getpagesize").orElse(null);
        if (function == null) {
            return 4096;
        }
        try {
            return (int) linker.downcallHandle(function, FunctionDescriptor.of(JAVA_INT))
                    .invokeExact();
        } catch (Throwable e) {
            throw CallState.unexpected(e);
        }
    }

    /** Calls of Linux that map memory. */
    private static final class Mapping {
        private static final MethodHandle CALL = SixLongs.link();
        static final MemorySegment MMAP = SixLongs.symbol("mmap");
        static final MemorySegment MUNMAP = SixLongs.symbol("munmap");
        static final MemorySegment MADVISE = SixLongs.symbol("madvise");

        static long call(MemorySegment function, long a, long b, long c, long d, long e) {
            try {
                return (long) CALL.invokeExact(function, CallState.segment(), a, b, c, d, e, 0L);
            } catch (Throwable t) {
                throw CallState.unexpected(t);
            }
        }
    }

    /**
     * Allocates memory.
     *
     * @param arena frees the memory
     * @param bytes at least 1
     * @param hugePages the kind of huge pages requested
     * @return zeroed, of exactly that length; it starts on a page that no other memory shares
     * @throws VerbsException if reserved pages are requested and there are none
     */
    public static MemorySegment allocate(Arena arena, long bytes, HugePages hugePages) {
        if (!LINUX || bytes < LEAST_MAPPED) {
            return arena.allocate(roundUp(bytes, SIZE), SIZE).asSlice(0, bytes);
        }
        if (bytes < HugePages.BYTES || hugePages == HugePages.NONE) {
            return map(arena, roundUp(bytes, SIZE), 0).asSlice(0, bytes);
        }
        long whole = roundUp(bytes, HugePages.BYTES);
        if (hugePages == HugePages.RESERVED) {
            return map(arena, whole, MAP_HUGETLB | MAP_HUGE_2MB).asSlice(0, bytes);
        }
        MemorySegment mapped = map(arena, whole + HugePages.BYTES, 0);
        MemorySegment aligned = mapped.asSlice(-mapped.address() & HugePages.BYTES - 1, whole);
        advise(aligned);
        return aligned.asSlice(0, bytes);
    }

    private static long roundUp(long bytes, long unit) {
        return Math.addExact(bytes, unit - 1) / unit * unit;
    }

    private static MemorySegment map(Arena arena, long bytes, int flags) {
        long address = Mapping.call(Mapping.MMAP, 0, bytes, PROT_READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1);
        if (address == -1) {
            throw new VerbsException(
                    "mmap(" + bytes + ")",
                    CallState.errno(),
                    flags == 0
                            ? "There is not enough memory: allocate less"
                            : "Reserve " + bytes / HugePages.BYTES
                                    + " more huge pages of 2 MiB (sysctl vm.nr_hugepages), or use"
                                    + " HugePages.TRANSPARENT");
        }
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena, Pages::unmap);
    }

    private static void unmap(MemorySegment memory) {
        Mapping.call(Mapping.MUNMAP, memory.address(), memory.byteSize(), 0, 0, 0);
    }

    /** Advises the kernel to use huge pages. A kernel without them, or with them off, uses ordinary ones. */
    private static void advise(MemorySegment memory) {
        Mapping.call(Mapping.MADVISE, memory.address(), memory.byteSize(), MADV_HUGEPAGE, 0, 0);
    }
}
