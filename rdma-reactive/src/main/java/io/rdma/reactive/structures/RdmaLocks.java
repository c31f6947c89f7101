package io.rdma.reactive.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.structures.HeldLock;
import io.rdma.internal.structures.HostedLocks;
import io.rdma.internal.structures.LockClient;
import io.rdma.internal.structures.StructureCall;
import io.rdma.internal.structures.StructureOpening;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.LockMemory;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureLocation;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Locks with leases in the memory of a host, whose processor takes no part. Thread-safe.
 *
 * <p>A lock belongs to its holder until it is released, or until the lease is over without a renewal. A client that
 * waits measures that by its own clock, an eighth longer than the lease, so the clocks of two hosts are never compared.
 * Each acquisition has a token that is larger than all before.
 *
 * <p>Every operation, unless stated otherwise: <b>completes</b> on the completion loop or a thread of timers, which
 * must not be blocked. <b>Errors</b> are those of the {@link RdmaConnection}; an index that does not exist is an
 * {@link IndexOutOfBoundsException}. A lock of which the holder's connection ends stays locked until its lease is over.
 */
public final class RdmaLocks {
    private final LockClient client;

    private RdmaLocks(LockClient client) {
        this.client = client;
    }

    /**
     * Allocates locks at their host, all free. Registers memory, which blocks.
     *
     * @param resources resources of the server whose clients use them
     * @param count 1 or more
     * @param lease time for which a lock is held unless it is renewed, 1 ms to 1 hour. Longer than a pause of a client,
     *     such as one of its garbage collector
     * @return the memory, to be closed after the connections of its clients
     * @throws StructureException NO_ATOMICS if the device has none
     */
    public static LockMemory allocate(RdmaResources resources, int count, Duration lease) {
        return new HostedLocks(resources, count, lease);
    }

    /**
     * Opens the locks of a host by one READ. Errors are also {@link StructureException} OTHER_LAYOUT, SMALL_BUFFERS,
     * and NO_ATOMICS if the device of the connection has none.
     *
     * @param connection connection that the host has admitted
     * @param location location that the host has sent
     * @return the locks, usable as long as the connection
     */
    public static Mono<RdmaLocks> open(RdmaConnection connection, StructureLocation location) {
        return StructureMono.<LockClient>of(outcome -> StructureOpening.locks(connection.endpoint(), location, outcome))
                .map(RdmaLocks::new);
    }

    /**
     * Returns the number of locks.
     *
     * @return 1 or more
     */
    public int count() {
        return client.count();
    }

    /**
     * Acquires a lock. Waits as long as others hold it, without order among those that wait. <b>Cancel</b> ends the
     * wait; a lock that was just acquired is released. Only a lease whose delivery has begun belongs to the subscriber
     * nevertheless, and a subscriber that drops it keeps the lock until the lease is over. {@link #withLease} never
     * loses one.
     *
     * @param index from 0
     * @return the lease, to be released
     */
    public Mono<RdmaLease> acquire(int index) {
        return lease(outcome -> client.acquire(index, outcome));
    }

    /**
     * Acquires a lock if it is free, without a wait. An object of this class remembers since when its calls have seen a
     * lock held. So a lock is also free if an earlier call has seen it, and it was not renewed for the lease and an
     * eighth of it since then. Calls that are more than 1,000 leases apart see it as for the first time. <b>Cancel</b>
     * releases a lock that was just acquired.
     *
     * @param index from 0
     * @return the lease, to be released; empty if the lock is held, or if it is not known yet that its lease is over
     */
    public Mono<RdmaLease> tryAcquire(int index) {
        return lease(outcome -> client.tryAcquire(index, outcome));
    }

    /** Returns the Mono of a lease. A lock that comes too late for a cancelled subscriber is released. */
    private static Mono<RdmaLease> lease(Function<StructureCall.Outcome<HeldLock>, StructureCall<?>> start) {
        return StructureMono.of(start).map(RdmaLease::new).doOnDiscard(HeldLock.class, HeldLock::drop);
    }

    /**
     * Acquires a lock, does something, and releases the lock however that ends. Does not renew the lease.
     *
     * @param <T> type of the result
     * @param index from 0
     * @param work made with the lease
     * @return the result of the work
     */
    public <T> Mono<T> withLease(int index, Function<? super RdmaLease, ? extends Mono<T>> work) {
        return Mono.usingWhen(
                acquire(index), work, lease -> lease.release().onErrorComplete()); // fails only with the connection
    }
}
