package io.rdma.coroutines.structures

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.structures.RingMemory
import io.rdma.structures.StructureException
import io.rdma.structures.StructureLocation
import io.rdma.structures.TableOptions
import io.rdma.structures.VersionedValue
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.minutes

/** Snippets of docs/guide/structures.md. */
class StructuresDocumentationTest {
    private fun next(old: ByteArray) = byteArrayOf((old[0] + 1).toByte())

    private suspend fun use(
        connection: RdmaConnection,
        key: ByteArray,
        value: ByteArray,
    ): VersionedValue? {
        val table = RdmaTable.open(connection, connection.receive { StructureLocation.decode(it.segment()) })
        table.put(key, value)
        val old = table.get(key) ?: error("it was put")
        try {
            table.put(key, next(old.value()), old.version())
        } catch (e: StructureException) {
            if (e.reason() != StructureException.Reason.CONFLICT) throw e // another client was faster
        }
        return table.get(key)
    }

    private suspend fun streamed(
        ring: RdmaRing,
        ringMemory: RingMemory,
        value: ByteArray,
    ) {
        ring.send(value)
        RdmaRing.receive(ringMemory).collect { entry -> use(entry) }
    }

    private fun use(entry: ByteArray) = assertThat(entry).isEqualTo(byteArrayOf(7))

    private suspend fun locked(locks: RdmaLocks) {
        locks.withLease(0) { lease -> work(lease.token) }
    }

    private fun work(token: Long) = assertThat(token).isOne()

    @Test
    fun `a client puts, gets and changes`() {
        RdmaResources.open(RdmaDevices.named("soft0")).use { shared ->
            RdmaTable.allocate(shared, TableOptions.of(16, 1_000)).use { memory ->
                runBlocking {
                    withTimeout(2.minutes) {
                        val server = RdmaServer.bind("127.0.0.1", 0) { resources = shared }
                        val serving =
                            launch {
                                server.serve { connection ->
                                    val location = memory.admit(connection.endpoint)
                                    connection.send(StructureLocation.ENCODED_BYTES) { location.encode(it) }
                                    connection.awaitClosed()
                                }
                            }
                        val connection = RdmaClient.connect("127.0.0.1", server.port) { device = "soft0" }
                        val found = use(connection, byteArrayOf(1), byteArrayOf(4))
                        assertThat(found).isEqualTo(VersionedValue(2, byteArrayOf(5)))
                        val ringMemory = RdmaRing.allocate(shared, 1024)
                        val ring = RdmaRing.open(connection, ringMemory.admit(shared.endpoints().first()))
                        val receiving =
                            async(start = CoroutineStart.UNDISPATCHED) {
                                streamed(ring, ringMemory, byteArrayOf(7))
                            }
                        RdmaLocks.allocate(shared, 1, 1.minutes).use { lockMemory ->
                            val location = lockMemory.admit(shared.endpoints().first())
                            locked(RdmaLocks.open(connection, location))
                            connection.closeAndAwait()
                        }
                        receiving.await()
                        ringMemory.close()
                        server.closeAndAwait()
                        serving.join()
                    }
                }
            }
        }
    }
}
