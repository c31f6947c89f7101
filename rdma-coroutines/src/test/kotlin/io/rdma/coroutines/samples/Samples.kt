package io.rdma.coroutines.samples

import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.withTimeoutOrNull
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

// The samples in the KDoc of the entry points. SamplesTest runs each of them.

internal suspend fun connect(
    host: String,
    port: Int,
): String =
    RdmaClient
        .connect(host, port) {
            device = "soft0" // without it, the default device
            receiveBuffers(count = 64, size = 4096)
            handshakeTimeout = 20.seconds
        }.use { connection ->
            val hello = MemorySegment.ofArray("hello".toByteArray())
            connection.send(5) { it.copyFrom(hello) }
            connection.receive { String(it.toByteArray()) }
        }

internal suspend fun serve(
    host: String,
    listening: (Int) -> Unit,
) {
    RdmaServer.bind(host, 0) { device = "soft0" }.use { server ->
        listening(server.port)
        server.serve { connection ->
            // A coroutine for this connection alone: a failure here ends no other connection.
            connection.incoming().collect { message ->
                connection.send(message.length()) { it.copyFrom(message.segment()) }
            }
        }
    }
}

internal suspend fun reconnect(
    host: String,
    port: Int,
): String =
    RdmaClient.reconnect(
        host,
        port,
        retry = { _, attempt ->
            delay((10L shl attempt.toInt().coerceAtMost(8)).milliseconds)
            attempt < 20
        },
        configure = { device = "soft0" },
    ) { connection ->
        connection.send(5) { it.copyFrom(MemorySegment.ofArray("again".toByteArray())) }
        connection.receive { String(it.toByteArray()) }
    }

internal suspend fun incoming(connection: RdmaConnection): List<String> =
    connection
        .incoming()
        .map { String(it.toByteArray()) } // a copy: the buffer is posted again after this
        .take(3)
        .toList()

internal suspend fun sendFlow(
    connection: RdmaConnection,
    lines: Flow<String>,
) {
    connection.send(lines.map { it.toByteArray() }) { line, target ->
        target.copyFrom(MemorySegment.ofArray(line))
        line.size
    }
}

internal suspend fun timeout(connection: RdmaConnection): String? =
    // A message that arrives too late waits for the next receive.
    withTimeoutOrNull(100.milliseconds) {
        connection.receive { String(it.toByteArray()) }
    }

internal suspend fun oneSided(
    connection: RdmaConnection,
    counter: RemoteMemory,
): Long {
    val ticket = connection.fetchAndAdd(counter, 1)
    connection.acquire().use { copy ->
        connection.read(counter, copy.limit(Long.SIZE_BYTES))
        check(copy.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0) > ticket)
    }
    return ticket
}

internal fun grant(connection: RdmaConnection): RemoteMemory {
    val memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE)
    // The peer may access 8 bytes, for 30 seconds.
    return connection.grant(memory, 0, 8, 30.seconds, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC).remote()
}
