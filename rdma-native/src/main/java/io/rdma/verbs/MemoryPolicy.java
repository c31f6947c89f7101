package io.rdma.verbs;

/**
 * Where the memory of protection domains comes from, and how much there may be.
 *
 * @param hugePages pages of what is allocated
 * @param budget for all that is registered; may be shared among domains
 */
public record MemoryPolicy(HugePages hugePages, RegistrationBudget budget) {
    /**
     * Ordinary pages, no limit.
     *
     * @return with a budget of its own
     */
    public static MemoryPolicy unlimited() {
        return new MemoryPolicy(HugePages.NONE, new RegistrationBudget(Long.MAX_VALUE));
    }
}
