package io.rdma.reactive.structures;

import static io.rdma.reactive.structures.StructuresFixture.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.engine.ConnectionClosedException;
import io.rdma.reactive.structures.StructuresFixture.Client;
import io.rdma.structures.LockMemory;
import io.rdma.structures.StructureException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Contract of locks with leases, the same on every device. */
@Timeout(180)
abstract class LocksContract {
    private static final Duration LONG = Duration.ofHours(1);
    private static final Duration SHORT = Duration.ofMillis(100);

    private StructuresFixture fixture;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        fixture = new StructuresFixture(device());
    }

    @AfterEach
    void nothingIsLeft() {
        if (fixture != null) {
            fixture.close();
        }
    }

    private static <T> T get(Mono<T> mono) {
        return mono.block(PATIENCE);
    }

    private LockMemory memory(Duration lease) {
        return fixture.using(RdmaLocks.allocate(fixture.ofHost, 3, lease));
    }

    private RdmaLocks locks(LockMemory memory) throws InterruptedException {
        Client client = fixture.connect();
        return get(RdmaLocks.open(client.connection(), client.admittedTo(memory)));
    }

    @Test
    void aLockIsHeldByOneClientAtATime() throws InterruptedException {
        LockMemory memory = memory(LONG);
        RdmaLocks first = locks(memory);
        RdmaLocks second = locks(memory);
        assertThat(first.count()).isEqualTo(3);
        RdmaLease lease = get(first.acquire(1));
        assertThat(lease.token()).isOne();
        assertThat(memory.token(1)).isOne();
        assertThat(lease.isHeld()).isTrue();
        assertThat(get(second.tryAcquire(1))).isNull();
        assertThat(get(first.tryAcquire(1))).isNull(); // nor by another call of the same client
        RdmaLease other = get(second.tryAcquire(2));
        assertThat(get(lease.renew())).isTrue();
        assertThat(get(lease.release())).isTrue();
        assertThat(lease.isHeld()).isFalse();
        assertThat(get(lease.release())).isFalse();
        assertThat(get(lease.renew())).isFalse();
        RdmaLease next = get(second.acquire(1));
        assertThat(next.token()).isEqualTo(2);
        assertThat(other.isHeld()).isTrue();
        assertThat(memory.token(0)).isZero();
        assertThatThrownBy(() -> get(first.acquire(3))).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> memory.token(3)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void clientsThatWaitTakeTurns() throws InterruptedException {
        LockMemory memory = memory(LONG);
        RdmaLocks[] clients = {locks(memory), locks(memory)};
        AtomicInteger holders = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        get(Flux.range(0, 40)
                .flatMap(
                        i -> clients[i % 2].withLease(
                                0,
                                lease -> Mono.fromCallable(() -> {
                                            most.accumulateAndGet(holders.incrementAndGet(), Math::max);
                                            assertThat(lease.token()).isEqualTo(memory.token(0));
                                            return lease;
                                        })
                                        .flatMap(RdmaLease::renew) // a round trip
                                        .doOnNext(held -> holders.decrementAndGet())),
                        8)
                .then());
        assertThat(most).hasValue(1);
        assertThat(memory.token(0)).isEqualTo(40);
    }

    @Test
    void aHolderThatStopsLosesTheLockToOneThatWaits() throws InterruptedException {
        LockMemory memory = memory(SHORT);
        RdmaLease stopped = get(locks(memory).acquire(0));
        RdmaLocks others = locks(memory);
        RdmaLease next = get(others.acquire(0));
        assertThat(next.token()).isEqualTo(2);
        assertThat(stopped.isHeld()).isFalse(); // before the next one has begun
        assertThat(get(stopped.renew())).isFalse();
        assertThat(get(stopped.release())).isFalse();
        assertThat(memory.token(0)).isEqualTo(2);
    }

    @Test
    void aTryTakesTheLockOfAHolderThatStoppedOnceTheLeaseWasSeenToBeOver() throws InterruptedException {
        LockMemory memory = memory(SHORT);
        RdmaLease stopped = get(locks(memory).acquire(0));
        RdmaLocks others = locks(memory);
        assertThat(get(others.tryAcquire(0))).isNull(); // has not seen the lock before
        await().atMost(PATIENCE).until(() -> get(others.tryAcquire(0)) != null);
        assertThat(stopped.isHeld()).isFalse();
        assertThat(memory.token(0)).isEqualTo(2);
    }

    @Test
    void aLockOfWhichTheConnectionHasEndedIsFreeAfterTheLease() throws InterruptedException {
        LockMemory memory = memory(SHORT);
        Client doomed = fixture.connect();
        RdmaLocks ofDoomed = get(RdmaLocks.open(doomed.connection(), doomed.admittedTo(memory)));
        RdmaLease lost = get(ofDoomed.acquire(0));
        doomed.connection().abort(new IllegalStateException("a test's"));
        assertThat(get(locks(memory).acquire(0)).token()).isEqualTo(2);
        assertThat(lost.isHeld()).isFalse();
        assertThatThrownBy(() -> get(lost.renew())).isInstanceOf(ConnectionClosedException.class);
    }

    @Test
    void aWaitThatIsCancelledLeavesTheLockFree() throws InterruptedException {
        RdmaLocks locks = locks(memory(LONG));
        for (int i = 0; i < 100; i++) {
            RdmaLease held = get(locks.acquire(0));
            AtomicReference<RdmaLease> delivered = new AtomicReference<>();
            // Keeps a lease that comes as it cancels. A consumer of subscribe() would drop it.
            BaseSubscriber<RdmaLease> waiting = locks.acquire(0).subscribeWith(new BaseSubscriber<>() {
                @Override
                protected void hookOnNext(RdmaLease lease) {
                    delivered.set(lease);
                }
            });
            held.release().subscribe();
            for (int spin = 0; spin < i * 500; spin++) { // cancels at different steps
                Thread.onSpinWait();
            }
            waiting.dispose();
            await().atMost(PATIENCE).until(() -> {
                RdmaLease lease = delivered.getAndSet(null); // before the cancellation
                if (lease != null) {
                    get(lease.release());
                }
                RdmaLease free = get(locks.tryAcquire(0));
                return free != null && get(free.release());
            });
        }
    }

    @Test
    void workWithALeaseReleasesItHoweverItEnds() throws InterruptedException {
        RdmaLocks locks = locks(memory(LONG));
        StepVerifier.create(locks.withLease(0, lease -> Mono.error(new IllegalStateException("a test's"))))
                .verifyErrorMessage("a test's");
        Long token = get(locks.withLease(0, lease -> Mono.just(lease.token())));
        assertThat(token).isEqualTo(2);
        Object nothing = get(locks.withLease(0, lease -> Mono.empty()));
        assertThat(nothing).isNull();
        Disposable endless = locks.withLease(0, lease -> Mono.never()).subscribe();
        endless.dispose();
        assertThat(get(locks.acquire(0)).token()).isGreaterThanOrEqualTo(4);
    }

    @Test
    void locksAreNoCounters() throws InterruptedException {
        LockMemory memory = memory(LONG);
        Client client = fixture.connect();
        assertThatThrownBy(() -> get(RdmaCounters.open(client.connection(), client.admittedTo(memory))))
                .isInstanceOf(StructureException.class)
                .hasMessageContaining("it holds LOCKS, not COUNTERS");
        assertThatThrownBy(() -> RdmaLocks.allocate(fixture.ofHost, 1, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
