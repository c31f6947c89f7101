package io.rdma.reactive.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.structures.HostedRecords;
import io.rdma.internal.structures.RecordClient;
import io.rdma.internal.structures.StructureOpening;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.RecordMemory;
import io.rdma.structures.RecordOptions;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.VersionedValue;
import reactor.core.publisher.Mono;

/**
 * Records with versions in the memory of a host, addressed by index. The host's processor takes no part. Thread-safe.
 *
 * <p>A get is one READ, and sees one put as a whole, never parts of two. A put is a fetch-and-add of 0, a
 * compare-and-swap, and a WRITE with a compare-and-swap behind it. Puts of a record take turns.
 *
 * <p>Every operation, unless stated otherwise: <b>completes</b> on the completion loop or a thread of timers, which
 * must not be blocked. <b>Errors</b> are those of the {@link RdmaConnection}, and {@link StructureException}, after
 * which the connection goes on. An index that does not exist is an {@link IndexOutOfBoundsException}. After the end of
 * the connection a put may or may not have happened. <b>Cancel</b> discards the result; a put that has not claimed its
 * record does not happen, another one goes on to its end. <b>Values</b> are copied when the subscriber requests.
 */
public final class RdmaRecords {
    private final RecordClient client;

    private RdmaRecords(RecordClient client) {
        this.client = client;
    }

    /**
     * Allocates records at their host, without values. Registers memory, which blocks.
     *
     * @param resources resources of the server whose clients use them
     * @param options geometry
     * @return the memory, to be closed after the connections of its clients
     * @throws StructureException NO_ATOMICS if the device has none
     */
    public static RecordMemory allocate(RdmaResources resources, RecordOptions options) {
        return new HostedRecords(resources, options);
    }

    /**
     * Opens the records of a host by one READ. Errors are also OTHER_LAYOUT, SMALL_BUFFERS, and NO_ATOMICS if the
     * device of the connection has none.
     *
     * @param connection connection that the host has admitted
     * @param location location that the host has sent
     * @return the records, usable as long as the connection
     */
    public static Mono<RdmaRecords> open(RdmaConnection connection, StructureLocation location) {
        return StructureMono.<RecordClient>of(
                        outcome -> StructureOpening.records(connection.endpoint(), location, outcome))
                .map(RdmaRecords::new);
    }

    /**
     * Returns the number of records.
     *
     * @return 1 or more
     */
    public int count() {
        return client.count();
    }

    /**
     * Returns the largest value.
     *
     * @return bytes
     */
    public int capacity() {
        return client.capacity();
    }

    /**
     * Gets the value of a record. Errors: {@link StructureException} CORRUPT.
     *
     * @param index from 0
     * @return the value; empty if the record was never put
     */
    public Mono<VersionedValue> get(int index) {
        return StructureMono.of(outcome -> client.get(index, outcome));
    }

    /**
     * Puts a value. Errors: {@link StructureException} BUSY; {@link IllegalArgumentException} if the value is too long.
     *
     * @param index from 0
     * @param value at most {@link #capacity} bytes
     * @return the new version
     */
    public Mono<Long> put(int index, byte[] value) {
        return StructureMono.of(outcome -> client.put(index, value, outcome));
    }

    /**
     * Puts a value if the record has a certain version. Errors are those of the other put, and CONFLICT.
     *
     * @param index from 0
     * @param value at most {@link #capacity} bytes
     * @param expectedVersion version that is replaced; 0 if the record was never put
     * @return the new version
     */
    public Mono<Long> put(int index, byte[] value, long expectedVersion) {
        return StructureMono.of(outcome -> client.put(index, value, expectedVersion, outcome));
    }
}
