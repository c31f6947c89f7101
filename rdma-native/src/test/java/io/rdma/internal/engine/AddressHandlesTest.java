package io.rdma.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.TestDevice;
import io.rdma.types.VerbsException;
import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.DeviceContext;
import io.rdma.verbs.GlobalRoute;
import io.rdma.verbs.ProtectionDomain;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the cache of address handles. Each test ends with a domain that can be closed: every handle was destroyed,
 * once.
 */
class AddressHandlesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int MOST = 4;

    private DeviceContext context;
    private ProtectionDomain domain;
    private AddressHandles handles;

    @BeforeEach
    void open() {
        context = TestDevice.assumed("soft0").open();
        domain = context.allocateProtectionDomain();
        handles = new AddressHandles(domain, MOST);
    }

    @AfterEach
    void everyHandleIsDestroyed() {
        assertThat(handles.used()).isZero();
        handles.close();
        assertThat(handles.size()).isZero();
        domain.close(); // EBUSY if a handle were left
        context.close();
    }

    private AddressHandleAttributes path(int number) {
        GlobalRoute route = GlobalRoute.to(context.queryGidTable().getFirst().gid(), 0);
        return AddressHandleAttributes.of(
                new GlobalRoute(route.dgid(), number, route.sgidIndex(), route.hopLimit(), 0), 1);
    }

    private CompletableFuture<CachedAddress> lease(AddressHandleAttributes path) {
        CompletableFuture<CachedAddress> result = new CompletableFuture<>();
        CachedAddress there = handles.tryLease(path);
        if (there != null) {
            result.complete(there);
            return result;
        }
        handles.lease(path, new AddressHandles.Waiter() {
            @Override
            public void leased(CachedAddress address) {
                result.complete(address);
            }

            @Override
            public void failed(RuntimeException error) {
                result.completeExceptionally(error);
            }
        });
        return result;
    }

    private static <T> T got(CompletableFuture<T> future) {
        return future.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Test
    void aHandleIsMadeOnceForAllWaitersOfAPath() {
        List<CompletableFuture<CachedAddress>> leases = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            leases.add(lease(path(1)));
        }
        List<CachedAddress> all =
                leases.stream().map(AddressHandlesTest::got).distinct().toList();
        assertThat(all).hasSize(1);
        assertThat(handles.size()).isEqualTo(1);
        assertThat(handles.used()).isEqualTo(1);
        leases.forEach(lease -> lease.join().release());
        assertThat(all.getFirst().handle().isClosed()).isFalse(); // kept for the next time
    }

    @Test
    void unusedHandlesBeyondTheBoundAreDestroyed() {
        List<CachedAddress> held = new ArrayList<>();
        for (int i = 0; i < 3 * MOST; i++) {
            held.add(got(lease(path(i))));
        }
        assertThat(handles.size()).isEqualTo(3 * MOST);
        assertThat(held).noneMatch(one -> one.handle().isClosed());
        CachedAddress kept = held.removeFirst();
        held.forEach(CachedAddress::release);
        await().atMost(PATIENCE).until(() -> handles.size() <= MOST);
        assertThat(kept.handle().isClosed()).isFalse();
        await().atMost(PATIENCE)
                .until(() ->
                        held.stream().filter(one -> one.handle().isClosed()).count() == 2 * MOST);
        assertThat(got(lease(path(0)))).isSameAs(kept);
        kept.release();
        kept.release();
    }

    @Test
    void aFailureIsReportedToEachWaiterAndNotCached() {
        AddressHandleAttributes unroutable = AddressHandleAttributes.of(7, 1);
        for (int i = 0; i < 5; i++) {
            assertThat(lease(unroutable))
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .withCauseInstanceOf(VerbsException.class);
        }
        assertThat(handles.size()).isZero();
    }

    @Test
    void aClosedCacheMakesNoHandle() {
        CompletableFuture<CachedAddress> before = lease(path(1));
        got(before).release();
        AddressHandle handle = before.join().handle();
        handles.close();
        assertThat(handle.isClosed()).isTrue();
        assertThat(lease(path(1)))
                .failsWithin(PATIENCE)
                .withThrowableThat()
                .withCauseInstanceOf(IllegalStateException.class);
    }

    /** Closes the cache from a notified waiter. The close does not wait for the thread that notifies. */
    @Test
    void aNotifiedWaiterMayCloseTheCache() {
        CompletableFuture<Duration> took = new CompletableFuture<>();
        handles.lease(AddressHandleAttributes.of(7, 1), new AddressHandles.Waiter() {
            @Override
            public void leased(CachedAddress address) {
                took.completeExceptionally(new AssertionError("a path to nowhere"));
            }

            @Override
            public void failed(RuntimeException error) {
                long start = System.nanoTime();
                handles.close();
                took.complete(Duration.ofNanos(System.nanoTime() - start));
            }
        });
        assertThat(got(took)).isLessThan(Duration.ofMillis(AddressHandles.CLOSE_MILLIS));
    }

    @Test
    void aLeasedHandleStaysOpenWhileOtherThreadsLease() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
        for (int t = 0; t < 4; t++) {
            Random random = new Random(t);
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    for (int i = 0; i < 2_000; i++) {
                        CachedAddress held = got(lease(path(random.nextInt(3 * MOST))));
                        assertThat(held.handle().isClosed()).isFalse();
                        held.release();
                    }
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        await().atMost(PATIENCE).until(() -> handles.size() <= MOST);
    }
}
