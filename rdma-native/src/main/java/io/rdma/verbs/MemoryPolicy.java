package io.rdma.verbs;

import io.rdma.types.AccessFlag;
import io.rdma.types.HugePages;
import java.util.EnumSet;
import java.util.Set;

/**
 * The policy for the memory of protection domains: its pages and its limit.
 *
 * @param hugePages kind of pages for allocated memory
 * @param budget limit for all registered memory; several domains may share it
 * @param onDemand whether memory of messages is paged on demand
 */
public record MemoryPolicy(HugePages hugePages, RegistrationBudget budget, boolean onDemand) {
    /**
     * Returns a policy with ordinary pages and no limit.
     *
     * @return a policy with a budget of its own
     */
    public static MemoryPolicy unlimited() {
        return new MemoryPolicy(HugePages.NONE, new RegistrationBudget(Long.MAX_VALUE), false);
    }

    /**
     * Returns the rights with which memory of messages is registered.
     *
     * @param rights those that its use needs
     * @return these, and {@link AccessFlag#ON_DEMAND} if the policy says so
     */
    public Set<AccessFlag> forMessages(Set<AccessFlag> rights) {
        Set<AccessFlag> all = EnumSet.noneOf(AccessFlag.class);
        all.addAll(rights);
        if (onDemand) {
            all.add(AccessFlag.ON_DEMAND);
        }
        return all;
    }
}
