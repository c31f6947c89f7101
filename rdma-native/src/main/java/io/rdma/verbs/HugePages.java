package io.rdma.verbs;

/**
 * Pages behind memory that a {@link ProtectionDomain} allocates. Larger pages mean fewer translations for the device to
 * keep and to miss. Memory of less than {@value #BYTES} bytes takes ordinary pages in any case.
 */
public enum HugePages {
    /** Ordinary pages. */
    NONE,
    /**
     * Ordinary pages that the kernel may join, {@code madvise(2)} with MADV_HUGEPAGE; where it doesn't offer that,
     * ordinary ones. Linux.
     */
    TRANSPARENT,
    /**
     * Pages from the kernel's pool, {@code mmap(2)} with MAP_HUGETLB; an error where the pool ({@code vm.nr_hugepages})
     * is empty. Linux.
     */
    RESERVED;

    /** Size of one, and the least size of memory that takes them. */
    public static final long BYTES = 2 << 20;
}
