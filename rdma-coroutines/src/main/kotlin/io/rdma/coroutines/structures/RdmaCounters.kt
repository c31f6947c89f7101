package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.structures.CounterClient
import io.rdma.internal.structures.HostedCounters
import io.rdma.internal.structures.StructureOpening
import io.rdma.structures.CounterMemory
import io.rdma.structures.StructureException
import io.rdma.structures.StructureLocation

/**
 * Counters in the memory of a host. Each operation is one atomic of the host's device; the host's processor takes no
 * part. Thread-safe.
 *
 * Every suspending operation:
 * - **errors** are those of the [RdmaConnection]. An index that does not exist throws [IndexOutOfBoundsException].
 *   After the end of the connection an addition may or may not have happened.
 * - **cancellation** is prompt. An addition that has begun happens all the same.
 * - **threads**: the coroutine resumes through its dispatcher.
 */
public class RdmaCounters private constructor(
    private val client: CounterClient,
) {
    /** Number of counters, 1 or more. */
    public val count: Int get() = client.count()

    /** Gets the value of the counter at [index], by adding 0. */
    public suspend fun get(index: Int): Long = add(index, 0)

    /** Adds [addend], which may be negative, to the counter at [index]. Returns the new value. The sum wraps around. */
    public suspend fun add(
        index: Int,
        addend: Long,
    ): Long = awaitValue { client.add(index, addend, it) }

    /** Makes and opens counters. */
    public companion object {
        /**
         * Allocates [count] counters at their host, all 0, for the clients of a server of these [resources]. Registers
         * memory, which blocks. The result is to be closed after the connections of its clients.
         *
         * @throws StructureException NO_ATOMICS if the device has none
         */
        @JvmStatic
        public fun allocate(
            resources: RdmaResources,
            count: Int,
        ): CounterMemory = HostedCounters(resources, count)

        /**
         * Opens the counters at a [location] that the host of the [connection] has sent, by one READ. They are usable
         * as long as the connection.
         *
         * @throws StructureException OTHER_LAYOUT, SMALL_BUFFERS, or NO_ATOMICS if the connection's device has none
         */
        @JvmStatic
        public suspend fun open(
            connection: RdmaConnection,
            location: StructureLocation,
        ): RdmaCounters = RdmaCounters(awaitValue { StructureOpening.counters(connection.endpoint, location, it) })
    }
}
