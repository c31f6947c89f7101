package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.engine.ConnectionClosedException
import io.rdma.structures.LockMemory
import io.rdma.structures.RecordMemory
import io.rdma.structures.RecordOptions
import io.rdma.structures.StructureException
import io.rdma.structures.StructureException.Reason
import io.rdma.structures.StructureLocation
import io.rdma.structures.StructureMemory
import io.rdma.structures.TableOptions
import io.rdma.structures.VersionedValue
import io.rdma.testing.TestDevice
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/**
 * Contract of counters, records and tables, the same on every device. The contract of Reactor's front-end has further
 * cases of the protocol, which both share.
 */
abstract class StructuresContract {
    /** Name of the device. */
    abstract val device: String

    /** A client's connection, and the host's end of it. */
    private class Client(
        val connection: RdmaConnection,
        val atHost: RdmaConnection,
    ) {
        fun admittedTo(memory: StructureMemory): StructureLocation = memory.admit(atHost.endpoint)
    }

    private inner class Host(
        val resources: RdmaResources,
        private val server: RdmaServer,
        private val accepted: Channel<RdmaConnection>,
    ) {
        val connections = mutableListOf<RdmaConnection>()
        val memories = mutableListOf<StructureMemory>()

        suspend fun connect(): Client {
            val connection =
                RdmaClient.connect("127.0.0.1", server.port) {
                    resources = this@Host.resources
                    receiveBuffers(16, 1024)
                    sendBuffers(8, 2048)
                    handshakeTimeout = 60.seconds
                }
            val atHost = accepted.receive()
            connections += connection
            connections += atHost
            return Client(connection, atHost)
        }

        fun <M : StructureMemory> using(memory: M): M = memory.also { memories += it }

        suspend fun records(memory: RecordMemory): RdmaRecords {
            val client = connect()
            return RdmaRecords.open(client.connection, client.admittedTo(memory))
        }

        fun awaitRest() {
            for (connection in connections) {
                await().atMost(PATIENCE).untilAsserted {
                    assertThat(connection.endpoint.inFlight()).isZero()
                    assertThat(connection.endpoint.sendBuffers().leased()).isZero()
                }
            }
        }
    }

    private fun hosted(test: suspend CoroutineScope.(Host) -> Unit) {
        val resources = RdmaResources.open(TestDevice.assumed(device))
        runBlocking {
            withTimeout(120.seconds) {
                val server =
                    RdmaServer.bind("127.0.0.1", 0) {
                        this.resources = resources
                        receiveBuffers(16, 1024)
                        sendBuffers(8, 1024)
                        handshakeTimeout = 60.seconds
                    }
                val accepted = Channel<RdmaConnection>(Channel.UNLIMITED)
                val serving =
                    launch {
                        server.serve {
                            accepted.send(it)
                            it.awaitClosed()
                        }
                    }
                val host = Host(resources, server, accepted)
                withContext(Dispatchers.Default) { test(host) }
                host.connections.forEach { it.closeAndAwait() }
                host.awaitRest()
                server.closeAndAwait()
                serving.join()
                host.memories.forEach { it.close() }
            }
        }
        resources.close()
        TestDevice.awaitClosed(resources.context())
    }

    private fun value(
        version: Long,
        text: String,
    ) = VersionedValue(version, text.encodeToByteArray())

    private suspend fun refused(
        reason: Reason,
        call: suspend () -> Unit,
    ): StructureException {
        val error = runCatching { call() }.exceptionOrNull()
        assertThat(error).isInstanceOf(StructureException::class.java)
        return (error as StructureException).also { assertThat(it.reason()).isEqualTo(reason) }
    }

    @Test
    fun `counters add whatever clients add at a time`() =
        hosted { host ->
            val memory = host.using(RdmaCounters.allocate(host.resources, 2))
            val clients =
                List(2) {
                    val client = host.connect()
                    RdmaCounters.open(client.connection, client.admittedTo(memory))
                }
            (0 until 100).map { async { clients[it % 2].add(1, it.toLong()) } }.awaitAll()
            assertThat(clients[0].get(1)).isEqualTo(4950L)
            assertThat(clients[1].add(1, -4950L)).isZero()
            assertThat(clients[0].count).isEqualTo(2)
            assertThat(runCatching { clients[0].get(2) }.exceptionOrNull())
                .isInstanceOf(IndexOutOfBoundsException::class.java)
        }

    @Test
    fun `a record has the value and version of its last put`() =
        hosted { host ->
            val memory = host.using(RdmaRecords.allocate(host.resources, RecordOptions.of(2, 100)))
            val first = host.records(memory)
            val second = host.records(memory)
            assertThat(first.count).isEqualTo(2)
            assertThat(first.capacity).isEqualTo(100)
            assertThat(first.get(1)).isNull()
            assertThat(first.put(1, "one".encodeToByteArray())).isOne()
            assertThat(second.get(1)).isEqualTo(value(1, "one"))
            assertThat(second.put(1, "two".encodeToByteArray(), 1)).isEqualTo(2L)
            assertThat(refused(Reason.CONFLICT) { first.put(1, ByteArray(1), 1) }.version()).isEqualTo(2L)
            assertThat(first.get(1)).isEqualTo(value(2, "two"))
            assertThat(runCatching { first.put(0, ByteArray(101)) }.exceptionOrNull())
                .isInstanceOf(IllegalArgumentException::class.java)
        }

    @Test
    fun `clients that put at a time take turns`() =
        hosted { host ->
            val options = RecordOptions.of(1, 100).withLease(Duration.ofHours(1)) // none is ever taken over
            val memory = host.using(RdmaRecords.allocate(host.resources, options))
            val clients = List(3) { host.records(memory) }
            (0 until 60).map { async { increment(clients[it % 3]) } }.awaitAll()
            assertThat(clients[0].get(0)).isEqualTo(value(60, "60"))
        }

    /** Adds 1 to the decimal number in a record. */
    private suspend fun increment(records: RdmaRecords) {
        while (true) {
            val old = records.get(0) ?: value(0, "0")
            val next = old.value().decodeToString().toInt() + 1
            try {
                records.put(0, next.toString().encodeToByteArray(), old.version())
                return
            } catch (e: StructureException) {
                if (e.reason() != Reason.CONFLICT) throw e
            }
        }
    }

    @Test
    fun `a table has what was put and not removed`() =
        hosted { host ->
            val memory = host.using(RdmaTable.allocate(host.resources, TableOptions.of(4, 600)))
            val client = host.connect()
            val table = RdmaTable.open(client.connection, client.admittedTo(memory))
            val keys = (0 until 30).map { "key$it".encodeToByteArray() }
            keys.map { async { table.put(it, it) } }.awaitAll()
            for (key in keys) assertThat(table.get(key)?.value()).isEqualTo(key)
            val version = table.put(keys[7], ByteArray(3))
            refused(Reason.CONFLICT) { table.put(keys[7], ByteArray(1), 0) }
            refused(Reason.CONFLICT) { table.remove(keys[7], version + 1) }
            assertThat(table.remove(keys[7], version)).isTrue()
            assertThat(table.remove(keys[7])).isFalse()
            assertThat(table.get(keys[7])).isNull()
            refused(Reason.FULL) { repeat(100) { table.put("more$it".encodeToByteArray(), ByteArray(100)) } }
            assertThat(table.capacity).isEqualTo(600 - TableOptions.ENTRY_BYTES)
        }

    @Test
    fun `memory of another layout is refused`() =
        hosted { host ->
            val memory = host.using(RdmaCounters.allocate(host.resources, 1))
            val client = host.connect()
            val location = client.admittedTo(memory)
            refused(Reason.OTHER_LAYOUT) { RdmaTable.open(client.connection, location) }
            refused(Reason.OTHER_LAYOUT) { RdmaRecords.open(client.connection, location) }
            assertThat(RdmaCounters.open(client.connection, location).get(0)).isZero()
        }

    @Test
    fun `what a client held is free when its connection has ended`() =
        hosted { host ->
            val memory =
                host.using(
                    RdmaRecords.allocate(host.resources, RecordOptions.of(1, 100).withLease(Duration.ofHours(1))),
                )
            val records = host.records(memory)
            val stopped = host.connect()
            claim(stopped, memory)
            val waiting = async { records.put(0, ByteArray(1)) }
            val cancelled = launch(start = CoroutineStart.UNDISPATCHED) { records.put(0, ByteArray(2)) }
            records.get(0)
            cancelled.cancelAndJoin()
            stopped.connection.abort(IllegalStateException("a test's"))
            assertThat(waiting.await()).isOne()
            assertThat(records.get(0)?.version()).isOne()
        }

    /** Claims the first record, and does nothing more. */
    private suspend fun claim(
        client: Client,
        memory: RecordMemory,
    ) {
        val location = client.admittedTo(memory)
        val word = location.memory().slice(64L + 1024 * 8, 8)
        assertThat(client.connection.compareAndSwap(word, 0, location.writer().toLong())).isZero()
    }

    @Test
    fun `a cancelled put happens or not and leaves nothing locked`() =
        hosted { host ->
            val memory =
                host.using(
                    RdmaRecords.allocate(host.resources, RecordOptions.of(1, 100).withLease(Duration.ofHours(1))),
                )
            val records = host.records(memory)
            for (i in 0 until 200) {
                val put = launch(start = CoroutineStart.UNDISPATCHED) { records.put(0, ByteArray(i % 100)) }
                repeat(i * 500) { Thread.onSpinWait() } // cancels at different steps
                put.cancelAndJoin()
                if (i % 10 == 0) records.put(0, ByteArray(1))
            }
            host.awaitRest()
            val version = checkNotNull(records.get(0)).version()
            assertThat(records.put(0, ByteArray(1))).isGreaterThan(version)
        }

    private suspend fun Host.locks(memory: LockMemory): RdmaLocks {
        val client = connect()
        return RdmaLocks.open(client.connection, client.admittedTo(memory))
    }

    @Test
    fun `a lock is held by one client at a time`() =
        hosted { host ->
            val memory = host.using(RdmaLocks.allocate(host.resources, 2, 1.hours))
            val first = host.locks(memory)
            val second = host.locks(memory)
            assertThat(first.count).isEqualTo(2)
            val lease = first.acquire(1)
            assertThat(lease.token).isOne()
            assertThat(lease.isHeld).isTrue()
            assertThat(second.tryAcquire(1)).isNull()
            assertThat(lease.renew()).isTrue()
            assertThat(lease.release()).isTrue()
            assertThat(lease.isHeld).isFalse()
            assertThat(lease.release()).isFalse()
            assertThat(checkNotNull(second.tryAcquire(1)).token).isEqualTo(2L)
            assertThat(memory.token(1)).isEqualTo(2L)
            assertThat(memory.token(0)).isZero()
        }

    @Test
    fun `clients that wait for a lock take turns`() =
        hosted { host ->
            val memory = host.using(RdmaLocks.allocate(host.resources, 1, 1.hours))
            val clients = List(2) { host.locks(memory) }
            val holders = AtomicInteger()
            (0 until 40)
                .map {
                    async {
                        clients[it % 2].withLease(0) { lease ->
                            assertThat(holders.incrementAndGet()).isOne()
                            lease.renew() // a round trip
                            holders.decrementAndGet()
                        }
                    }
                }.awaitAll()
            assertThat(memory.token(0)).isEqualTo(40L)
        }

    @Test
    fun `a holder that stops loses the lock to one that waits`() =
        hosted { host ->
            val memory = host.using(RdmaLocks.allocate(host.resources, 1, 100.milliseconds))
            val stopped = host.locks(memory).acquire(0)
            val next = host.locks(memory).acquire(0)
            assertThat(next.token).isEqualTo(2L)
            assertThat(stopped.isHeld).isFalse()
            assertThat(stopped.renew()).isFalse()
        }

    @Test
    fun `a try takes the lock of a holder that stopped once the lease was seen to be over`() =
        hosted { host ->
            val memory = host.using(RdmaLocks.allocate(host.resources, 1, 100.milliseconds))
            val stopped = host.locks(memory).acquire(0)
            val others = host.locks(memory)
            assertThat(others.tryAcquire(0)).isNull() // has not seen the lock before
            while (others.tryAcquire(0) == null) yield()
            assertThat(stopped.isHeld).isFalse()
            assertThat(memory.token(0)).isEqualTo(2L)
        }

    @Test
    fun `a wait that is cancelled leaves the lock free`() =
        hosted { host ->
            val locks = host.locks(host.using(RdmaLocks.allocate(host.resources, 1, 1.hours)))
            for (i in 0 until 100) {
                val held = locks.acquire(0)
                val waiting = launch(start = CoroutineStart.UNDISPATCHED) { locks.withLease(0) {} }
                val releasing = launch(start = CoroutineStart.UNDISPATCHED) { held.release() }
                repeat(i * 500) { Thread.onSpinWait() } // cancels at different steps
                waiting.cancelAndJoin()
                releasing.join()
                locks.acquire(0).release()
            }
        }

    @Test
    fun `entries arrive in order through a ring that is much smaller`() =
        hosted { host ->
            val memory = host.using(RdmaRing.allocate(host.resources, 256))
            val client = host.connect()
            val ring = RdmaRing.open(client.connection, client.admittedTo(memory))
            assertThat(ring.maxEntry).isEqualTo(112)
            val sending = launch { repeat(300) { ring.send(ByteArray(it % 100) { _ -> it.toByte() }) } }
            val received = RdmaRing.receive(memory).take(300).toList()
            received.forEachIndexed { i, entry -> assertThat(entry).isEqualTo(ByteArray(i % 100) { i.toByte() }) }
            sending.join()
            val waiting = async { RdmaRing.receive(memory).toList() }
            ring.send(ByteArray(1))
            client.connection.closeAndAwait()
            assertThat(waiting.await()).hasSize(1)
            assertThat(runCatching { ring.send(ByteArray(113)) }.exceptionOrNull())
                .isInstanceOf(IllegalArgumentException::class.java)
        }

    @Test
    fun `operations end with the connection`() =
        hosted { host ->
            val memory = host.using(RdmaRecords.allocate(host.resources, RecordOptions.of(1, 100)))
            val client = host.connect()
            val records = RdmaRecords.open(client.connection, client.admittedTo(memory))
            client.connection.closeAndAwait()
            assertThat(runCatching { records.get(0) }.exceptionOrNull())
                .isInstanceOf(ConnectionClosedException::class.java)
            assertThat(runCatching { records.put(0, ByteArray(1)) }.exceptionOrNull())
                .isInstanceOf(ConnectionClosedException::class.java)
        }

    private companion object {
        val PATIENCE: Duration = Duration.ofSeconds(60)
    }
}
