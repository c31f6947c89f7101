package io.rdma.samples.simulation.world

import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.structures.RdmaCounters
import io.rdma.coroutines.structures.RdmaLease
import io.rdma.coroutines.structures.RdmaLocks
import io.rdma.coroutines.structures.RdmaRecords
import io.rdma.coroutines.structures.RdmaRing
import io.rdma.coroutines.structures.RdmaTable
import io.rdma.structures.StructureLocation
import io.rdma.structures.VersionedValue
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.launch

/** Structures of the coroutines front-end. */
internal class CoroutinesStructures(
    private val connection: RdmaConnection,
    private val calls: CoroutineCalls,
) : StructureLink {
    private lateinit var records: RdmaRecords
    private lateinit var table: RdmaTable
    private lateinit var counters: RdmaCounters
    private lateinit var locks: RdmaLocks
    private lateinit var ring: RdmaRing

    override fun open(
        name: String,
        kind: StructureKind,
        location: StructureLocation,
    ): Call<Void> =
        calls.act(name) {
            when (kind) {
                StructureKind.RECORDS -> records = RdmaRecords.open(connection, location)
                StructureKind.TABLE -> table = RdmaTable.open(connection, location)
                StructureKind.COUNTERS -> counters = RdmaCounters.open(connection, location)
                StructureKind.LOCKS -> locks = RdmaLocks.open(connection, location)
                StructureKind.RING -> ring = RdmaRing.open(connection, location)
            }
        }

    override fun get(
        name: String,
        record: Int,
    ): Call<VersionedValue> = calls.start(name) { records.get(record) }

    override fun put(
        name: String,
        record: Int,
        value: ByteArray,
        expected: Long?,
    ): Call<Long> =
        calls.start(name) { if (expected == null) records.put(record, value) else records.put(record, value, expected) }

    override fun get(
        name: String,
        key: ByteArray,
    ): Call<VersionedValue> = calls.start(name) { table.get(key) }

    override fun put(
        name: String,
        key: ByteArray,
        value: ByteArray,
        expected: Long?,
    ): Call<Long> =
        calls.start(name) {
            if (expected ==
                null
            ) {
                table.put(key, value)
            } else {
                table.put(key, value, expected)
            }
        }

    override fun remove(
        name: String,
        key: ByteArray,
        expected: Long?,
    ): Call<Boolean> = calls.start(name) { if (expected == null) table.remove(key) else table.remove(key, expected) }

    override fun add(
        name: String,
        counter: Int,
        addend: Long,
    ): Call<Long> = calls.start(name) { counters.add(counter, addend) }

    override fun acquire(
        name: String,
        lock: Int,
        waits: Boolean,
    ): Call<StructureLease> =
        calls.start(name) {
            (if (waits) locks.acquire(lock) else locks.tryAcquire(lock))?.let(::Lease)
        }

    override fun send(
        name: String,
        entry: ByteArray,
    ): Call<Void> = calls.act(name) { ring.send(entry) }

    private inner class Lease(
        private val lease: RdmaLease,
    ) : StructureLease {
        override fun token(): Long = lease.token

        override fun isHeld(): Boolean = lease.isHeld

        override fun renew(name: String): Call<Boolean> = calls.start(name) { lease.renew() }

        override fun release(name: String): Call<Boolean> = calls.start(name) { lease.release() }

        override fun close() {
            CoroutineScope(calls.dispatcher).launch { runCatching { lease.release() } } // the connection may have ended
        }
    }
}
