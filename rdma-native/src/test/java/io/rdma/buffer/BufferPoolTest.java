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
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Pool of buffers: its order, and a device that refuses to register or to deregister memory. */
class BufferPoolTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Error REFUSAL = new InternalError("a test's");

    private final FaultyDevice faults = new FaultyDevice();
    private final RegistrationBudget budget = new RegistrationBudget(1 << 20);

    private static CompletableFuture<RegisteredBuffer> ask(BufferPool pool) {
        CompletableFuture<RegisteredBuffer> got = new CompletableFuture<>();
        pool.acquire(new BufferWaiter() {
            @Override
            public void acquired(RegisteredBuffer buffer) {
                got.complete(buffer);
            }

            @Override
            public void failed(RuntimeException error) {
                got.completeExceptionally(error);
            }
        });
        return got;
    }

    private ProtectionDomain domain(DeviceContext context) {
        return context.allocateProtectionDomain(new MemoryPolicy(HugePages.NONE, budget, false));
    }

    @Test
    void aSpareBufferMakesNoOther() {
        try (DeviceContext context = faults.device().open();
                ProtectionDomain domain = domain(context)) {
            BufferPool pool = new BufferPool(domain, 1, 4, 64);
            RegisteredBuffer spare = Objects.requireNonNull(pool.tryAcquireSpare());
            assertThat(spare.place()).isZero();
            assertThat(pool.tryAcquireSpare()).isNull();
            assertThat(pool.isGrowing()).isFalse();
            spare.close();
            assertThat(pool.leased()).isZero();
            pool.close();
            assertThat(pool.tryAcquireSpare()).isNull();
        }
    }

    @Test
    void aRefusalOfOneSlabKeepsNoOtherRegistered() {
        try (DeviceContext context = faults.device().open();
                ProtectionDomain domain = domain(context)) {
            BufferPool pool = new BufferPool(domain, 1, 4, 64);
            long firstSlab = budget.registered();
            CompletableFuture<RegisteredBuffer> one = ask(pool);
            CompletableFuture<RegisteredBuffer> two = ask(pool);
            assertThat(two).as("of the second slab").succeedsWithin(PATIENCE);
            one.join().close();
            two.join().close();
            await().atMost(PATIENCE).until(() -> !pool.isGrowing());
            faults.nextThrows.put("deregMr", REFUSAL);
            assertThatThrownBy(pool::close).isSameAs(REFUSAL);
            assertThat(budget.registered()).isEqualTo(firstSlab);
        }
        assertThat(budget.registered()).as("after the close of the domain").isZero();
    }

    @Test
    void aRefusalIsNoFailureOfTheCallThatReturnsTheLastBuffer() {
        try (DeviceContext context = faults.device().open();
                ProtectionDomain domain = domain(context);
                CapturedLog log = new CapturedLog(BufferPool.class.getName())) {
            BufferPool pool = new BufferPool(domain, 4, 4, 64);
            RegisteredBuffer last = ask(pool).join();
            pool.close();
            faults.nextThrows.put("deregMr", REFUSAL);
            last.close();
            assertThat(faults.nextThrows).isEmpty();
            assertThat(log.has("not deregistered")).isTrue();
        }
        assertThat(budget.registered()).as("after the close of the domain").isZero();
    }

    @Test
    void anErrorWhileItGrowsLeavesItItsBuffers() {
        try (DeviceContext context = faults.device().open();
                ProtectionDomain domain = domain(context);
                BufferPool pool = new BufferPool(domain, 1, 4, 64);
                CapturedLog log = new CapturedLog(BufferPool.class.getName())) {
            CompletableFuture<RegisteredBuffer> one = ask(pool);
            faults.nextThrows.put("regMr", REFUSAL);
            CompletableFuture<RegisteredBuffer> two = ask(pool);
            await().atMost(PATIENCE).until(() -> log.has("cannot grow"));
            one.join().close();
            assertThat(two).succeedsWithin(PATIENCE);
            two.join().close();
        }
        assertThat(budget.registered()).isZero();
    }

    /** Asks again as soon as it has a buffer, as an application does that sends one message behind another. */
    private static final class Repeating extends BufferWaiter {
        private final BufferPool pool;
        private final int times;
        private final AtomicInteger served;

        Repeating(BufferPool pool, int times, AtomicInteger served) {
            this.pool = pool;
            this.times = times;
            this.served = served;
        }

        @Override
        public void acquired(RegisteredBuffer buffer) {
            int before = served.getAndIncrement();
            if (times > 1) {
                pool.acquire(new Repeating(pool, times - 1, served));
                assertThat(served).as("not within the call for the one before").hasValue(before + 1);
            }
            buffer.close();
        }

        @Override
        public void failed(RuntimeException error) {
            throw error;
        }
    }

    @Test
    void aWaiterThatAsksAgainWhileItIsServedTakesNoMoreStackEachTime() {
        try (DeviceContext context = faults.device().open();
                ProtectionDomain domain = domain(context);
                BufferPool pool = new BufferPool(domain, 2, 64)) {
            AtomicInteger served = new AtomicInteger();
            pool.acquire(new Repeating(pool, 100_000, served));
            assertThat(served).hasValue(100_000);
            assertThat(pool.leased()).isZero();
        }
    }

    @Test
    void aWaiterIsNotServedBeforeOneThatWaits() {
        try (DeviceContext context = faults.device().open();
                ProtectionDomain domain = domain(context);
                BufferPool pool = new BufferPool(domain, 1, 64)) {
            RegisteredBuffer only = ask(pool).join();
            CompletableFuture<RegisteredBuffer> first = ask(pool);
            CompletableFuture<RegisteredBuffer> second = ask(pool);
            only.close();
            assertThat(second).isNotDone();
            first.join().close();
            second.join().close();
        }
    }
}
