package io.rdma.reactive.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.structures.CounterClient;
import io.rdma.internal.structures.HostedCounters;
import io.rdma.internal.structures.StructureOpening;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.CounterMemory;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureLocation;
import reactor.core.publisher.Mono;

/**
 * Counters in the memory of a host. Each operation is one atomic of the host's device; the host's processor takes no
 * part. Thread-safe.
 *
 * <p>Every operation, unless stated otherwise: <b>completes</b> on the completion loop. <b>Errors</b> are those of the
 * {@link RdmaConnection}; an index that does not exist is an {@link IndexOutOfBoundsException}. After the end of the
 * connection an addition may or may not have happened. <b>Cancel</b> discards the result; an addition that was
 * requested happens all the same.
 */
public final class RdmaCounters {
    private final CounterClient client;

    private RdmaCounters(CounterClient client) {
        this.client = client;
    }

    /**
     * Allocates counters at their host, all 0. Registers memory, which blocks.
     *
     * @param resources resources of the server whose clients use them
     * @param count 1 or more
     * @return the memory, to be closed after the connections of its clients
     * @throws StructureException NO_ATOMICS if the device has none
     */
    public static CounterMemory allocate(RdmaResources resources, int count) {
        return new HostedCounters(resources, count);
    }

    /**
     * Opens the counters of a host by one READ. Errors are also {@link StructureException} OTHER_LAYOUT, SMALL_BUFFERS,
     * and NO_ATOMICS if the device of the connection has none.
     *
     * @param connection connection that the host has admitted
     * @param location location that the host has sent
     * @return the counters, usable as long as the connection
     */
    public static Mono<RdmaCounters> open(RdmaConnection connection, StructureLocation location) {
        return StructureMono.<CounterClient>of(
                        outcome -> StructureOpening.counters(connection.endpoint(), location, outcome))
                .map(RdmaCounters::new);
    }

    /**
     * Returns the number of counters.
     *
     * @return 1 or more
     */
    public int count() {
        return client.count();
    }

    /**
     * Gets the value of a counter, by adding 0.
     *
     * @param index from 0
     * @return the value
     */
    public Mono<Long> get(int index) {
        return add(index, 0);
    }

    /**
     * Adds to a counter.
     *
     * @param index from 0
     * @param addend may be negative; the sum wraps around
     * @return the new value
     */
    public Mono<Long> add(int index, long addend) {
        return StructureMono.of(outcome -> client.add(index, addend, outcome));
    }
}
