package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.structures.StructureLocation
import io.rdma.testing.JavaProcess
import io.rdma.testing.structures.DoomedOperation
import io.rdma.testing.structures.Moment
import io.rdma.testing.structures.StoppableDevice
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/** Participants of one process, one for each moment, each with a connection of its own that stops there. */
internal object DoomedClients {
    /** The operations. A send behind a filler has the same requests in both front-ends, and is left out. */
    val moments: List<Moment> =
        DoomedOperation.entries.filter { it != DoomedOperation.RING_SEND_AT_END }.flatMap(Moment::last)

    /** Bytes of a record or bucket. An image takes several packets, and a READ of three images fits into a buffer. */
    const val CAPACITY = 1300

    private const val LENGTH = 1200

    val key = "key".encodeToByteArray()
    val newValue = ByteArray(LENGTH) { 'n'.code.toByte() }
    val oldValue = ByteArray(LENGTH) { 'o'.code.toByte() }
    val entry = ByteArray(16) { 'e'.code.toByte() }

    suspend fun connect(
        resources: RdmaResources,
        port: Int,
    ): RdmaConnection =
        RdmaClient.connect("127.0.0.1", port) {
            this.resources = resources
            receiveBuffers(16, 1024)
            sendBuffers(8, 4096)
            handshakeTimeout = 60.seconds
            probeInterval = Duration.ZERO // a write of no bytes would look like a request of an operation
        }

    suspend fun location(connection: RdmaConnection): StructureLocation =
        connection.receive { StructureLocation.decode(it.segment()) }

    /** Opens the structure of a moment, does what comes before the operation, and returns the operation. */
    private suspend fun prepared(
        operation: DoomedOperation,
        connection: RdmaConnection,
    ): suspend () -> Unit {
        val location = location(connection)
        return when (operation) {
            DoomedOperation.COUNTER_ADD -> RdmaCounters.open(connection, location).let { { it.add(0, 1) } }
            DoomedOperation.RECORD_PUT -> RdmaRecords.open(connection, location).let { { it.put(0, newValue) } }
            DoomedOperation.TABLE_PUT -> RdmaTable.open(connection, location).let { { it.put(key, newValue) } }
            DoomedOperation.TABLE_REMOVE -> RdmaTable.open(connection, location).let { { it.remove(key) } }
            DoomedOperation.LOCK_ACQUIRE -> RdmaLocks.open(connection, location).let { { it.acquire(0) } }
            DoomedOperation.LOCK_RENEW -> RdmaLocks.open(connection, location).acquire(0).let { { it.renew() } }
            DoomedOperation.LOCK_RELEASE -> RdmaLocks.open(connection, location).acquire(0).let { { it.release() } }
            DoomedOperation.RING_SEND -> RdmaRing.open(connection, location).let { { it.send(entry) } }
            DoomedOperation.RING_SEND_AT_END -> error("it is left out")
        }
    }

    /** Runs all participants to their moments, and kills this process then. Arguments: device, port. */
    @JvmStatic
    fun main(args: Array<String>) {
        val device = StoppableDevice(args[0])
        val resources = RdmaResources.open(device.device())
        val running = CoroutineScope(Dispatchers.Default)
        val stops =
            moments.map { moment ->
                val operation =
                    runBlocking { prepared(moment.operation, connect(resources, args[1].toInt())) }
                val stop = device.stopNext(moment.operation.requests(), moment.posted)
                val job = running.launch { operation() }
                if (moment.effect() == Moment.Effect.CERTAIN) {
                    runBlocking { job.join() }
                    stop.requireExpected()
                } else {
                    stop.await()
                }
                moment to stop
            }
        println("stopped ${stops.size}")
        stops.filter { (moment) -> moment.isInFlight }.forEach { (_, stop) -> stop.postOne() }
        JavaProcess.killCaller()
    }
}
