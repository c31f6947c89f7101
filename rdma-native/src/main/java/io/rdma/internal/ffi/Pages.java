package io.rdma.internal.ffi;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.rdma.verbs.HugePages;
import io.rdma.verbs.VerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Memory in whole pages: with fork support the kernel's advice would hit the neighbours of a slab that shares a page with them. */
public final class Pages {
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE = 2;
    private static final int MAP_ANONYMOUS = 0x20;
    private static final int MAP_HUGETLB = 0x40000;
    private static final int MAP_HUGE_2MB = 21 << 26;
    private static final int MADV_HUGEPAGE = 14;
    private static final boolean LINUX = System.getProperty("os.name").startsWith("Linux");
    private static final long SIZE = size();

    private Pages() {}

    /** {@code getpagesize(2)}; 64 KiB on some arm64 kernels. */
    private static long size() {
        try {
            if (SixLongs.supported()) {
                return SixLongs.pageSize();
            }
            Linker linker = Linker.nativeLinker();
            MemorySegment function = linker.defaultLookup().find("getpagesize").orElse(null);
            return function == null
                    ? 4096
                    : (int) linker.downcallHandle(function, FunctionDescriptor.of(JAVA_INT))
                            .invokeExact();
        } catch (Throwable e) {
            throw IbverbsCalls.unexpected(e);
        }
    }

    /** What huge pages alone need. */
    private static final class Mapping {
        static final MethodHandle MMAP =
                handle("mmap", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
        static final MethodHandle MUNMAP = handle("munmap", JAVA_INT, JAVA_LONG, JAVA_LONG);
        static final MethodHandle MADVISE = handle("madvise", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);

        private static MethodHandle handle(String name, MemoryLayout result, MemoryLayout... arguments) {
            return Linker.nativeLinker()
                    .downcallHandle(SixLongs.symbol(name), FunctionDescriptor.of(result, arguments), CallState.ERRNO);
        }
    }

    /**
     * Allocates.
     *
     * @param arena frees it
     * @param bytes at least 1
     * @param hugePages wanted
     * @return zeroed, of exactly that length, starting on a page that it shares with nobody
     * @throws VerbsException where reserved pages are asked for and there are none
     */
    public static MemorySegment allocate(Arena arena, long bytes, HugePages hugePages) {
        if (!LINUX || bytes < HugePages.BYTES || hugePages == HugePages.NONE) {
            return arena.allocate(roundUp(bytes, SIZE), SIZE).asSlice(0, bytes);
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
        long address;
        try {
            address = (long) Mapping.MMAP.invokeExact(
                    CallState.segment(), 0L, bytes, PROT_READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0L);
        } catch (Throwable e) {
            throw IbverbsCalls.unexpected(e);
        }
        if (address == -1) {
            throw new VerbsException(
                    "mmap(" + bytes + ")",
                    CallState.errno(),
                    flags == 0
                            ? "There is not that much memory: ask for less"
                            : "Reserve " + bytes / HugePages.BYTES
                                    + " huge pages of 2 MiB more (sysctl vm.nr_hugepages), or use HugePages.TRANSPARENT");
        }
        return MemorySegment.ofAddress(address).reinterpret(bytes, arena, Pages::unmap);
    }

    private static void unmap(MemorySegment memory) {
        try {
            int ignored = (int) Mapping.MUNMAP.invokeExact(CallState.segment(), memory.address(), memory.byteSize());
        } catch (Throwable e) {
            throw IbverbsCalls.unexpected(e);
        }
    }

    /** Advice: a kernel that does not know it, or was told never to join pages, gives ordinary ones. */
    private static void advise(MemorySegment memory) {
        try {
            int ignored = (int) Mapping.MADVISE.invokeExact(
                    CallState.segment(), memory.address(), memory.byteSize(), MADV_HUGEPAGE);
        } catch (Throwable e) {
            throw IbverbsCalls.unexpected(e);
        }
    }
}
