package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.structures.HostedRecords
import io.rdma.internal.structures.RecordClient
import io.rdma.internal.structures.StructureOpening
import io.rdma.structures.RecordMemory
import io.rdma.structures.RecordOptions
import io.rdma.structures.StructureException
import io.rdma.structures.StructureLocation
import io.rdma.structures.VersionedValue

/**
 * Records with versions in the memory of a host, addressed by index. The host's processor takes no part. Thread-safe.
 *
 * A get is one READ, and sees one put as a whole, never parts of two. A put is a fetch-and-add of 0, a
 * compare-and-swap, and a WRITE with a compare-and-swap behind it. Puts of a record take turns.
 *
 * Every suspending operation:
 * - **errors** are those of the [RdmaConnection], and [StructureException], after which the connection goes on. An
 *   index that does not exist throws [IndexOutOfBoundsException]. After the end of the connection a put may or may not
 *   have happened.
 * - **cancellation** is prompt. A put that has not claimed its record does not happen; another one goes on to its end.
 * - **values** are copied before the first suspension.
 * - **threads**: the coroutine resumes through its dispatcher.
 */
public class RdmaRecords private constructor(
    private val client: RecordClient,
) {
    /** Number of records, 1 or more. */
    public val count: Int get() = client.count()

    /** Largest value in bytes. */
    public val capacity: Int get() = client.capacity()

    /**
     * Gets the value of the record at [index]. Returns null if the record was never put.
     *
     * @throws StructureException CORRUPT
     */
    public suspend fun get(index: Int): VersionedValue? = awaitOutcome { client.get(index, it) }

    /**
     * Puts a [value] of at most [capacity] bytes into the record at [index]. Returns the new version.
     *
     * @throws StructureException BUSY
     * @throws IllegalArgumentException if the value is too long
     */
    public suspend fun put(
        index: Int,
        value: ByteArray,
    ): Long = awaitValue { client.put(index, value, it) }

    /**
     * Puts a [value] like the other put, if the record has [expectedVersion], 0 for a record that was never put.
     * Returns the new version.
     *
     * @throws StructureException CONFLICT or BUSY
     * @throws IllegalArgumentException if the value is too long
     */
    public suspend fun put(
        index: Int,
        value: ByteArray,
        expectedVersion: Long,
    ): Long = awaitValue { client.put(index, value, expectedVersion, it) }

    /** Makes and opens records. */
    public companion object {
        /**
         * Allocates records without values at their host, for the clients of a server of these [resources]. Registers
         * memory, which blocks. The result is to be closed after the connections of its clients.
         *
         * @throws StructureException NO_ATOMICS if the device has none
         */
        @JvmStatic
        public fun allocate(
            resources: RdmaResources,
            options: RecordOptions,
        ): RecordMemory = HostedRecords(resources, options)

        /**
         * Opens the records at a [location] that the host of the [connection] has sent, by one READ. They are usable as
         * long as the connection.
         *
         * @throws StructureException OTHER_LAYOUT, SMALL_BUFFERS, or NO_ATOMICS if the connection's device has none
         */
        @JvmStatic
        public suspend fun open(
            connection: RdmaConnection,
            location: StructureLocation,
        ): RdmaRecords = RdmaRecords(awaitValue { StructureOpening.records(connection.endpoint, location, it) })
    }
}
