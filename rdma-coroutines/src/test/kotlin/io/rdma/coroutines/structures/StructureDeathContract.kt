package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.structures.CounterMemory
import io.rdma.structures.LockMemory
import io.rdma.structures.RecordMemory
import io.rdma.structures.RecordOptions
import io.rdma.structures.RingMemory
import io.rdma.structures.StructureLocation
import io.rdma.structures.StructureMemory
import io.rdma.structures.TableMemory
import io.rdma.structures.TableOptions
import io.rdma.structures.VersionedValue
import io.rdma.testing.JavaProcess
import io.rdma.testing.TestDevice
import io.rdma.testing.structures.DoomedOperation
import io.rdma.testing.structures.Moment
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.junit.jupiter.api.Timeout
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

/**
 * Contract of structures whose clients die by SIGKILL, around the last request of each operation, which alone makes it
 * happen: before it, while it is in flight, behind it. The contract of Reactor's front-end has the other moments, and
 * the death of the host. Each participant uses a structure of its own.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(300)
abstract class StructureDeathContract {
    /** Name of the device. */
    abstract val device: String

    private lateinit var resources: RdmaResources
    private lateinit var server: RdmaServer
    private lateinit var serving: Job
    private lateinit var observer: RdmaConnection
    private val memories = mutableMapOf<Moment, StructureMemory>()
    private val locations = mutableMapOf<Moment, StructureLocation>()
    private val moments get() = DoomedClients.moments

    private fun moments(vararg operations: DoomedOperation) = moments.filter { it.operation in operations }

    private fun allocate(operation: DoomedOperation): StructureMemory =
        when (operation) {
            DoomedOperation.COUNTER_ADD -> {
                RdmaCounters.allocate(resources, 1)
            }

            DoomedOperation.RECORD_PUT -> {
                RdmaRecords.allocate(resources, RecordOptions.of(1, DoomedClients.CAPACITY).withLease(LONG))
            }

            DoomedOperation.TABLE_PUT, DoomedOperation.TABLE_REMOVE -> {
                RdmaTable.allocate(resources, TableOptions.of(1, DoomedClients.CAPACITY).withLease(LONG))
            }

            DoomedOperation.LOCK_ACQUIRE, DoomedOperation.LOCK_RENEW, DoomedOperation.LOCK_RELEASE -> {
                RdmaLocks.allocate(resources, 1, LEASE)
            }

            else -> {
                RdmaRing.allocate(resources, 64)
            }
        }

    /** Admits the observer to all structures that it changes, and then each participant to its own. */
    private suspend fun serve(
        number: Int,
        connection: RdmaConnection,
    ) {
        val admitted =
            when (number) {
                0 -> memories.values.filter { it !is RingMemory }
                else -> listOf(memories.getValue(moments[number - 1]))
            }
        for (memory in admitted) {
            val location = memory.admit(connection.endpoint)
            connection.send(StructureLocation.ENCODED_BYTES, location::encode)
        }
        connection.awaitClosed()
    }

    private fun observed(test: suspend CoroutineScope.() -> Unit) = runBlocking { withTimeout(120.seconds) { test() } }

    @BeforeAll
    fun killClients() {
        resources = RdmaResources.open(TestDevice.assumed(device))
        moments.associateWithTo(memories) { allocate(it.operation) }
        observed {
            server =
                RdmaServer.bind("127.0.0.1", 0) {
                    resources = this@StructureDeathContract.resources
                    receiveBuffers(16, 1024)
                    sendBuffers(8, 1024)
                    handshakeTimeout = 60.seconds
                }
            val connections = AtomicInteger()
            serving =
                CoroutineScope(Dispatchers.Default).launch {
                    server.serve { serve(connections.getAndIncrement(), it) }
                }
            observer = DoomedClients.connect(resources, server.port)
            moments
                .filter { memories[it] !is RingMemory }
                .associateWithTo(locations) { DoomedClients.location(observer) }
            moments.forEach { fill(it) }
        }
        JavaProcess(DoomedClients::class.java, device, server.port.toString()).use {
            assertThat(it.await("stopped")).isEqualTo(moments.size.toString())
            it.ended(JavaProcess.KILLED)
        }
    }

    private suspend fun fill(moment: Moment) {
        when (memories.getValue(moment)) {
            is CounterMemory -> {
                RdmaCounters.open(observer, locations.getValue(moment)).add(0, COUNT)
            }

            is RecordMemory -> {
                RdmaRecords.open(observer, locations.getValue(moment)).put(0, DoomedClients.oldValue)
            }

            is TableMemory -> {
                table(moment).put(DoomedClients.key, DoomedClients.oldValue)
            }

            else -> {}
        }
    }

    private suspend fun table(moment: Moment) = RdmaTable.open(observer, locations.getValue(moment))

    @AfterAll
    fun nothingIsLeft() {
        if (!::observer.isInitialized) return
        await("the host has ended the connections of the dead").atMost(PATIENCE).until {
            resources.endpoints().size == 2 // both ends of the observer's connection
        }
        observed {
            observer.closeAndAwait()
            assertThat(observer.endpoint.sendBuffers().leased()).isZero()
            server.closeAndAwait()
            serving.join()
        }
        memories.values.forEach { it.close() }
        resources.close()
        TestDevice.awaitClosed(resources.context())
    }

    @Test
    fun `a counter has the addition or not`() =
        observed {
            for (moment in moments(DoomedOperation.COUNTER_ADD)) {
                val counters = RdmaCounters.open(observer, locations.getValue(moment))
                val found = counters.get(0)
                assertThat(found).`as`("$moment").isIn(moment.possible(COUNT, COUNT + 1))
                assertThat(counters.add(0, 5)).isEqualTo(found + 5)
            }
        }

    @Test
    fun `a record has the old value or the new one and takes the next put`() =
        observed {
            for (moment in moments(DoomedOperation.RECORD_PUT)) {
                val records = RdmaRecords.open(observer, locations.getValue(moment))
                val old = VersionedValue(1, DoomedClients.oldValue)
                val put = VersionedValue(2, DoomedClients.newValue)
                assertThat(records.get(0)).`as`("$moment").isIn(moment.possible(old, put))
                val version = records.put(0, NEXT)
                assertThat(version).`as`("$moment").isIn(moment.possible(2L, 3L))
                assertThat(records.get(0)).isEqualTo(VersionedValue(version, NEXT))
            }
        }

    @Test
    fun `a bucket has the old value or the change and takes the next put`() =
        observed {
            for (moment in moments(DoomedOperation.TABLE_PUT, DoomedOperation.TABLE_REMOVE)) {
                val table = table(moment)
                val old = listOf(VersionedValue(1, DoomedClients.oldValue))
                val put = listOf(VersionedValue(2, DoomedClients.newValue))
                val changed = if (moment.operation == DoomedOperation.TABLE_PUT) put else emptyList()
                val found = listOfNotNull(table.get(DoomedClients.key))
                assertThat(found).`as`("$moment").isIn(moment.possible(old, changed))
                val version = table.put(DoomedClients.key, NEXT)
                assertThat(version).`as`("$moment").isIn(moment.possible(2L, 3L))
                assertThat(table.get(DoomedClients.key)).isEqualTo(VersionedValue(version, NEXT))
            }
        }

    @Test
    fun `a lock is free or is acquired with a greater token after its lease`() =
        observed {
            val operations =
                arrayOf(DoomedOperation.LOCK_ACQUIRE, DoomedOperation.LOCK_RENEW, DoomedOperation.LOCK_RELEASE)
            for (moment in moments(*operations)) {
                val locks = RdmaLocks.open(observer, locations.getValue(moment))
                val acquires = moment.operation == DoomedOperation.LOCK_ACQUIRE
                val held =
                    if (moment.operation == DoomedOperation.LOCK_RENEW) {
                        listOf(true)
                    } else {
                        moment.possible(!acquires, acquires)
                    }
                val begun = System.nanoTime()
                val free = locks.tryAcquire(0)
                assertThat(free == null).`as`("$moment").isIn(held)
                val lease = free ?: locks.acquire(0)
                if (free == null) {
                    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(LEASE.inWholeNanoseconds)
                }
                assertThat(lease.token).`as`("$moment").isIn(if (acquires) moment.possible(1L, 2L) else listOf(2L))
                assertThat((memories.getValue(moment) as LockMemory).token(0)).isEqualTo(lease.token)
                assertThat(lease.renew()).isTrue()
                assertThat(lease.release()).isTrue()
            }
        }

    @Test
    fun `a ring has the entry as a whole or not and ends behind it`() =
        observed {
            for (moment in moments(DoomedOperation.RING_SEND)) {
                val ring = memories.getValue(moment) as RingMemory
                val entries = RdmaRing.receive(ring).toList().map { it.decodeToString() }
                assertThat(entries)
                    .`as`("$moment")
                    .isIn(moment.possible(emptyList(), listOf(DoomedClients.entry.decodeToString())))
                assertThat(ring.isEnded).isTrue()
            }
        }

    private companion object {
        const val COUNT = 41L
        val NEXT = byteArrayOf(1, 2, 3)

        /** Time for which a lock stays locked behind the death of its holder. */
        val LEASE = 300.milliseconds

        /** A lease that no test outlasts: claims of the dead are recovered because their connections have ended. */
        val LONG: Duration = 1.hours.toJavaDuration()
        val PATIENCE: Duration = 60.seconds.toJavaDuration()
    }
}
