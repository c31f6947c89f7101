package io.rdma.internal.engine;

import io.rdma.buffer.RegistrationCache;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.close.CleanupStack;
import io.rdma.internal.close.CloseSteps;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.MemoryPolicy;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RegistrationBudget;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

// Invariant: a domain that was allocated is in `allocated` until its end. The thread that removes it ends it.

/**
 * Protection domains on an open device, each with its cache of registrations: one that is common, and others, of one
 * connection or of the connections of one server. Thread-safe.
 */
final class Domains {
    private final DeviceContext context;
    private final MemoryPolicy memory;
    private final long cachedBytes;
    private final RegistrationCache common;
    private final Set<RegistrationCache> allocated = Collections.synchronizedSet(new LinkedHashSet<>());
    private final EndedDomains ended;

    /**
     * Allocates the common domain.
     *
     * @param cleanup closes it if the construction that it belongs to fails
     */
    Domains(DeviceContext context, ResourceOptions options, CleanupStack cleanup) {
        this.context = context;
        memory = new MemoryPolicy(
                options.hugePages(), new RegistrationBudget(options.maxRegisteredBytes()), options.onDemand());
        cachedBytes = options.cachedBytes();
        ProtectionDomain domain = cleanup.add(context.allocateProtectionDomain(memory));
        common = cleanup.add(new RegistrationCache(domain, cachedBytes));
        ended = new EndedDomains(context);
    }

    RegistrationCache common() {
        return common;
    }

    /** Returns the budget of all domains together. */
    RegistrationBudget budget() {
        return memory.budget();
    }

    /** Allocates a domain, to be given to {@link #release}. Closes some that are over and not held any more. */
    RegistrationCache allocate() {
        ended.closeSome();
        RegistrationCache made = new RegistrationCache(context.allocateProtectionDomain(memory), cachedBytes);
        ended.begin(made.domain());
        allocated.add(made);
        return made;
    }

    /** Ends a domain of {@link #allocate}. Does nothing if it has ended, or is the common one. */
    void release(RegistrationCache own) {
        if (allocated.remove(own)) {
            try {
                own.close();
            } finally {
                ended.add(own.domain());
            }
        }
    }

    /** Ends all domains, and closes the device when nothing of them is held any more. */
    void closeWithDevice(CloseSteps steps) {
        List<RegistrationCache> left;
        synchronized (allocated) {
            left = List.copyOf(allocated);
        }
        left.forEach(own -> steps.run(() -> release(own)));
        steps.run(common::close);
        ended.add(common.domain());
        ended.closeWithDevice(steps);
    }
}
