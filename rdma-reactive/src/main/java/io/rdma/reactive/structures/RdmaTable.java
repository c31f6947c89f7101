package io.rdma.reactive.structures;

import io.rdma.connect.RdmaResources;
import io.rdma.internal.structures.HostedTable;
import io.rdma.internal.structures.StructureOpening;
import io.rdma.internal.structures.TableClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureLocation;
import io.rdma.structures.TableMemory;
import io.rdma.structures.TableOptions;
import io.rdma.structures.VersionedValue;
import reactor.core.publisher.Mono;

/**
 * A table of keys and values in the memory of a host, whose processor takes no part. Thread-safe.
 *
 * <p>The hash of a key chooses its bucket, which is a record. A get is one READ of the bucket. A put or remove is a
 * READ and a new version of the bucket, as {@link RdmaRecords} describe it.
 *
 * <p>Completion, errors and cancellation are those of {@link RdmaRecords}. A key that is empty, or that fits with its
 * value into no bucket, is an {@link IllegalArgumentException}. Keys and values are copied when the subscriber
 * requests.
 */
public final class RdmaTable {
    private final TableClient client;

    private RdmaTable(TableClient client) {
        this.client = client;
    }

    /**
     * Allocates an empty table at its host. Registers memory, which blocks.
     *
     * @param resources resources of the server whose clients use it
     * @param options geometry
     * @return the memory, to be closed after the connections of its clients
     * @throws StructureException NO_ATOMICS if the device has none
     */
    public static TableMemory allocate(RdmaResources resources, TableOptions options) {
        return new HostedTable(resources, options);
    }

    /**
     * Opens the table of a host by one READ. Errors are also OTHER_LAYOUT, SMALL_BUFFERS, and NO_ATOMICS if the device
     * of the connection has none.
     *
     * @param connection connection that the host has admitted
     * @param location location that the host has sent
     * @return the table, usable as long as the connection
     */
    public static Mono<RdmaTable> open(RdmaConnection connection, StructureLocation location) {
        return StructureMono.<TableClient>of(
                        outcome -> StructureOpening.table(connection.endpoint(), location, outcome))
                .map(RdmaTable::new);
    }

    /**
     * Returns the room for a key and its value.
     *
     * @return largest sum of their lengths in bytes, if the bucket holds nothing else
     */
    public int capacity() {
        return client.capacity();
    }

    /**
     * Gets the value of a key. Errors: {@link StructureException} CORRUPT.
     *
     * @param key 1 to 65,535 bytes
     * @return the value; empty if there is none
     */
    public Mono<VersionedValue> get(byte[] key) {
        return StructureMono.of(outcome -> client.get(key, outcome));
    }

    /**
     * Puts the value of a key. Errors: {@link StructureException} BUSY, CORRUPT, and FULL unless the table
     * {@linkplain TableOptions#displacingOldest displaces}.
     *
     * @param key 1 to 65,535 bytes
     * @param value any bytes
     * @return the version of the value
     */
    public Mono<Long> put(byte[] key, byte[] value) {
        return StructureMono.of(outcome -> client.put(key, value, outcome));
    }

    /**
     * Puts the value of a key if that has a certain version. Errors are those of the other put, and CONFLICT.
     *
     * @param key 1 to 65,535 bytes
     * @param value any bytes
     * @param expectedVersion version that is replaced; 0 if the key has no value
     * @return the version of the value
     */
    public Mono<Long> put(byte[] key, byte[] value, long expectedVersion) {
        return StructureMono.of(outcome -> client.put(key, value, expectedVersion, outcome));
    }

    /**
     * Removes a key with its value. Errors: {@link StructureException} BUSY and CORRUPT.
     *
     * @param key 1 to 65,535 bytes
     * @return whether there was a value
     */
    public Mono<Boolean> remove(byte[] key) {
        return StructureMono.<Long>of(outcome -> client.remove(key, null, outcome))
                .hasElement();
    }

    /**
     * Removes a key if its value has a certain version. Errors are those of the other remove, and CONFLICT.
     *
     * @param key 1 to 65,535 bytes
     * @param expectedVersion version of the value
     * @return true
     */
    public Mono<Boolean> remove(byte[] key, long expectedVersion) {
        return StructureMono.<Long>of(outcome -> client.remove(key, expectedVersion, outcome))
                .hasElement();
    }
}
