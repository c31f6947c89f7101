package io.rdma.types;

/**
 * The kind of pages for memory that a {@code ProtectionDomain} allocates. With larger pages the device has fewer
 * translations to cache and fewer cache misses. Memory of less than {@value #BYTES} bytes always gets ordinary pages.
 */
public enum HugePages {
    /** Ordinary pages. */
    NONE,
    /**
     * Ordinary pages that the kernel may merge into huge pages, {@code madvise(2)} with MADV_HUGEPAGE. They stay
     * ordinary if the kernel does not support that. Linux.
     */
    TRANSPARENT,
    /**
     * Pages from the kernel's pool, {@code mmap(2)} with MAP_HUGETLB. Allocation fails if the pool
     * ({@code vm.nr_hugepages}) is empty. Linux.
     */
    RESERVED;

    /** The size of a huge page, and the smallest allocation that uses huge pages. */
    public static final long BYTES = 2 << 20;
}
