package io.rdma.verbs;

import io.rdma.types.HugePages;

/**
 * The policy for the memory of protection domains: its pages and its limit.
 *
 * @param hugePages kind of pages for allocated memory
 * @param budget limit for all registered memory; several domains may share it
 */
public record MemoryPolicy(HugePages hugePages, RegistrationBudget budget) {
    /**
     * Returns a policy with ordinary pages and no limit.
     *
     * @return a policy with a budget of its own
     */
    public static MemoryPolicy unlimited() {
        return new MemoryPolicy(HugePages.NONE, new RegistrationBudget(Long.MAX_VALUE));
    }
}
