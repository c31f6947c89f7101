package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConnection
import io.rdma.internal.structures.HostedRing
import io.rdma.internal.structures.RingClient
import io.rdma.internal.structures.StructureOpening
import io.rdma.structures.RingMemory
import io.rdma.structures.StructureException
import io.rdma.structures.StructureLocation
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/**
 * A ring in the memory of a consumer, which is its host, as its one producer uses it. Thread-safe.
 *
 * The producer writes entries into the consumer's memory. The consumer looks into its own memory; no message passes,
 * and no receive buffer is used. A full ring keeps the producer waiting. It then reads how far the consumer has got.
 */
public class RdmaRing private constructor(
    private val client: RingClient,
) {
    /** Largest entry in bytes. */
    public val maxEntry: Int get() = client.maxEntry()

    /**
     * Sends [entry], at most [maxEntry] bytes, in the order of the calls. Returns when it is in the consumer's memory.
     * The entry is copied before the first suspension. An entry that waits for room is taken back if the coroutine is
     * cancelled; later it is sent all the same. Errors are also those of the [RdmaConnection]. After an error other
     * than [IllegalArgumentException] the ring takes no more entries.
     *
     * @throws StructureException CORRUPT if something else writes into the ring
     * @throws IllegalArgumentException if the entry is too long
     */
    public suspend fun send(entry: ByteArray) {
        awaitValue<Boolean> { client.send(entry, it) }
    }

    /** Makes and opens rings, and receives their entries. */
    public companion object {
        /**
         * Allocates an empty ring at its consumer, for the client of a server of these [resources]. It has [capacity]
         * bytes for all entries, a multiple of 16, at least 64. Each entry has 16 bytes more than its content, and
         * begins at a multiple of 16. Registers memory, which blocks. The result is to be closed after the connection
         * of the producer.
         */
        @JvmStatic
        public fun allocate(
            resources: RdmaResources,
            capacity: Int,
        ): RingMemory = HostedRing(resources, capacity)

        /**
         * Opens the ring at a [location] that the consumer at the other end of the [connection] has sent, by one READ.
         * It is usable as long as the connection. A ring is opened once.
         *
         * @throws StructureException OTHER_LAYOUT or SMALL_BUFFERS
         */
        @JvmStatic
        public suspend fun open(
            connection: RdmaConnection,
            location: StructureLocation,
        ): RdmaRing = RdmaRing(awaitValue { StructureOpening.ring(connection.endpoint, location, it) })

        /**
         * Returns a flow of the entries of a ring, in order. It ends when the producer's connection has ended and all
         * entries that arrived were received. Takes an entry when the collector is ready for it. While none is there,
         * it looks again after a pause that grows to 2.6 ms. Several collectors compete for the entries. The [memory]
         * is one that [allocate] has returned.
         */
        @JvmStatic
        public fun receive(memory: RingMemory): Flow<ByteArray> {
            val ring = memory as HostedRing
            return flow {
                while (true) emit(awaitOutcome<ByteArray>(ring::giveBack) { ring.next(it) } ?: break)
            }
        }
    }
}
