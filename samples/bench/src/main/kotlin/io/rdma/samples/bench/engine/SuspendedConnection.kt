package io.rdma.samples.bench.engine

import io.rdma.buffer.RegisteredBuffer
import io.rdma.connect.ConnectionOptions
import io.rdma.connect.RdmaResources
import io.rdma.coroutines.MessageEncoder
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import java.lang.foreign.MemorySegment

/** Both ends of a connection. Its coroutines run on the thread that resumes them, which is the loop. */
class SuspendedConnection(
    resources: RdmaResources,
    options: ConnectionOptions,
) : AutoCloseable {
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Unconfined)
    private val received = Channel<Unit>(Channel.UNLIMITED)

    @Volatile
    private var expected = 0

    @Volatile
    private var counted = Counted()
    private val server: RdmaServer =
        runBlocking {
            RdmaServer.bind("127.0.0.1", 0) {
                this.resources = resources
                this.options = options
            }
        }
    private val connection: RdmaConnection

    init {
        scope.launch { server.serve { count(it) } }
        connection =
            runBlocking {
                RdmaClient.connect("127.0.0.1", server.port) {
                    this.resources = resources
                    this.options = options
                }
            }
    }

    /** Counts messages in a collector that never suspends, so that all allocation for a message is the library's. */
    private suspend fun count(peer: RdmaConnection) {
        var count = 0
        peer.incoming().collect {
            if (++count == expected) {
                count = 0
                counted.ended()
                received.trySend(Unit)
            }
        }
    }

    /** Runs a number of coroutines, each of which writes a number of times. */
    fun write(
        coroutines: Int,
        times: Int,
        source: RegisteredBuffer,
        target: RemoteMemory,
        counted: Counted,
    ) = runBlocking {
        List(coroutines) {
            scope.launch {
                repeat(times) { connection.write(source, target) }
                counted.ended() // by the last one
            }
        }.joinAll()
    }

    /**
     * Sends a number of messages as a `Flow` that emits the same object each time. Returns when the other end has
     * collected all of them. A write, which resumes the coroutine on the loop, comes first. Else the caller's thread
     * would emit as long as the loop, beside it, makes room, and the ends would not share a thread.
     */
    fun stream(
        count: Int,
        source: RegisteredBuffer,
        target: RemoteMemory,
        counted: Counted,
    ) = runBlocking {
        expected = count
        this@SuspendedConnection.counted = counted
        val message = Filled(source.limit())
        scope
            .launch {
                connection.write(source, target)
                connection.send(flow { repeat(count) { emit(message) } }, Filled)
            }.join()
        received.receive()
    }

    override fun close() {
        connection.close()
        server.close()
        scope.cancel()
    }

    private class Filled(
        val bytes: Int,
    ) {
        companion object : MessageEncoder<Filled> {
            override fun encode(
                item: Filled,
                target: MemorySegment,
            ): Int {
                target.asSlice(0, item.bytes.toLong()).fill(1)
                return item.bytes
            }

            override fun length(item: Filled): Int = item.bytes
        }
    }
}
