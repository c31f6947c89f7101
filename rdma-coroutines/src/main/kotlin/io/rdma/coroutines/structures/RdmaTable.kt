package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.structures.HostedTable
import io.rdma.internal.structures.StructureOpening
import io.rdma.internal.structures.TableClient
import io.rdma.structures.StructureException
import io.rdma.structures.StructureLocation
import io.rdma.structures.TableMemory
import io.rdma.structures.TableOptions
import io.rdma.structures.VersionedValue

/**
 * A table of keys and values in the memory of a host, whose processor takes no part. Thread-safe.
 *
 * The hash of a key chooses its bucket, which is a record. A get is one READ of the bucket. A put or remove is a READ
 * and a new version of the bucket, as [RdmaRecords] describes it.
 *
 * Errors, cancellation and threads are those of [RdmaRecords]. Keys have 1 to 65,535 bytes. A key that is empty, or
 * that fits with its value into no bucket, throws [IllegalArgumentException]. Keys and values are copied before the
 * first suspension.
 */
public class RdmaTable private constructor(
    private val client: TableClient,
) {
    /** Largest sum of the lengths of a key and its value in bytes, if the bucket holds nothing else. */
    public val capacity: Int get() = client.capacity()

    /**
     * Gets the value of [key]. Returns null if there is none.
     *
     * @throws StructureException CORRUPT
     */
    public suspend fun get(key: ByteArray): VersionedValue? = awaitOutcome { client.get(key, it) }

    /**
     * Puts the [value] of [key]. Returns the version of the value.
     *
     * @throws StructureException BUSY, CORRUPT, or FULL unless the table displaces, see [TableOptions.displacingOldest]
     */
    public suspend fun put(
        key: ByteArray,
        value: ByteArray,
    ): Long = awaitValue { client.put(key, value, it) }

    /**
     * Puts the [value] of [key] like the other put, if the key's value has [expectedVersion], 0 for none. Returns the
     * version of the value.
     *
     * @throws StructureException CONFLICT, and as the other put
     */
    public suspend fun put(
        key: ByteArray,
        value: ByteArray,
        expectedVersion: Long,
    ): Long = awaitValue { client.put(key, value, expectedVersion, it) }

    /**
     * Removes [key] with its value. Returns whether there was a value.
     *
     * @throws StructureException BUSY or CORRUPT
     */
    public suspend fun remove(key: ByteArray): Boolean = awaitOutcome<Long> { client.remove(key, null, it) } != null

    /**
     * Removes [key] if its value has [expectedVersion]. Returns true.
     *
     * @throws StructureException CONFLICT, BUSY or CORRUPT
     */
    public suspend fun remove(
        key: ByteArray,
        expectedVersion: Long,
    ): Boolean = awaitOutcome<Long> { client.remove(key, expectedVersion, it) } != null

    /** Makes and opens tables. */
    public companion object {
        /**
         * Allocates an empty table at its host, for the clients of a server of these [resources]. Registers memory,
         * which blocks. The result is to be closed after the connections of its clients.
         *
         * @throws StructureException NO_ATOMICS if the device has none
         */
        @JvmStatic
        public fun allocate(
            resources: RdmaResources,
            options: TableOptions,
        ): TableMemory = HostedTable(resources, options)

        /**
         * Opens the table at a [location] that the host of the [connection] has sent, by one READ. It is usable as long
         * as the connection.
         *
         * @throws StructureException OTHER_LAYOUT, SMALL_BUFFERS, or NO_ATOMICS if the connection's device has none
         */
        @JvmStatic
        public suspend fun open(
            connection: RdmaConnection,
            location: StructureLocation,
        ): RdmaTable = RdmaTable(awaitValue { StructureOpening.table(connection.endpoint, location, it) })
    }
}
