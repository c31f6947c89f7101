package io.rdma.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.CapturedLog;
import io.rdma.types.HugePages;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.FaultyDevice;
import io.rdma.verbs.MemoryPolicy;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RegistrationBudget;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Close of a cache of registered memory on a device that refuses to deregister. */
class RegistrationCacheTest {
    private static final int BYTES = 64;

    /** Leases memory for which an entry is evicted, whose region the device refuses to deregister. */
    @Test
    void aLeaseThatFailsHoldsNothing() {
        FaultyDevice faults = new FaultyDevice();
        RegistrationBudget budget = new RegistrationBudget(1 << 20);
        try (Arena arena = Arena.ofShared();
                DeviceContext context = faults.device().open();
                ProtectionDomain domain =
                        context.allocateProtectionDomain(new MemoryPolicy(HugePages.NONE, budget, false))) {
            RegistrationCache cache = new RegistrationCache(domain, BYTES);
            cache.lease(arena.allocate(BYTES)).close();
            Error refusal = new InternalError("a test's");
            faults.nextThrows.put("deregMr", refusal);
            assertThatThrownBy(() -> cache.lease(arena.allocate(BYTES))).isSameAs(refusal);
            cache.close();
            assertThat(budget.registered())
                    .as("bytes of the region that was not deregistered")
                    .isEqualTo(BYTES);
        }
        assertThat(budget.registered()).as("after the close of the domain").isZero();
    }

    @Test
    void aRefusalBehindTheLastLeaseIsLogged() {
        FaultyDevice faults = new FaultyDevice();
        try (Arena arena = Arena.ofShared();
                DeviceContext context = faults.device().open();
                ProtectionDomain domain = context.allocateProtectionDomain();
                CapturedLog log = new CapturedLog(RegistrationCache.class.getName())) {
            RegistrationCache cache = new RegistrationCache(domain, BYTES);
            RegisteredBuffer lease = cache.lease(arena.allocate(BYTES));
            cache.close();
            faults.nextThrows.put("deregMr", new InternalError("a test's"));
            lease.close();
            await().atMost(Duration.ofSeconds(60)).until(() -> log.has("not deregistered"));
        }
    }

    @Test
    void anErrorOfOneRegionKeepsNoOtherRegistered() {
        FaultyDevice faults = new FaultyDevice();
        RegistrationBudget budget = new RegistrationBudget(1 << 20);
        try (Arena arena = Arena.ofShared();
                DeviceContext context = faults.device().open();
                ProtectionDomain domain =
                        context.allocateProtectionDomain(new MemoryPolicy(HugePages.NONE, budget, false))) {
            RegistrationCache cache = new RegistrationCache(domain, 1 << 20);
            cache.lease(arena.allocate(BYTES)).close();
            cache.lease(arena.allocate(BYTES)).close();
            assertThat(budget.registered()).isEqualTo(2 * BYTES);
            Error refusal = new InternalError("a test's");
            faults.nextThrows.put("deregMr", refusal);
            assertThatThrownBy(cache::close).isSameAs(refusal);
            assertThat(budget.registered())
                    .as("bytes of the region that was not deregistered")
                    .isEqualTo(BYTES);
        }
        assertThat(budget.registered()).as("after the close of the domain").isZero();
    }
}
