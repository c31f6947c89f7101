package io.rdma.coroutines.samples

import io.rdma.buffer.RegisteredBuffer
import io.rdma.call.RdmaCallException
import io.rdma.connect.PoolOptions
import io.rdma.coroutines.RdmaByteStream
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.coroutines.call.RdmaCallServer
import io.rdma.coroutines.call.withCalls
import io.rdma.coroutines.io.buffers
import io.rdma.coroutines.io.receiveBuffer
import io.rdma.coroutines.io.send
import io.rdma.coroutines.io.write
import io.rdma.coroutines.pool.RdmaConnectionPool
import io.rdma.coroutines.send
import io.rdma.coroutines.serialization.receive
import io.rdma.coroutines.serialization.send
import io.rdma.coroutines.texts
import io.rdma.types.AccessFlag
import io.rdma.types.PlacementType
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.io.Buffer
import kotlinx.io.writeString
import kotlinx.serialization.Serializable
import kotlinx.serialization.json.Json
import java.lang.foreign.ValueLayout
import javax.net.ssl.SSLContext
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
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
            connection.send("hello")
            connection.receiveText()
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
        connection.send("again")
        connection.receiveText()
    }

internal suspend fun incoming(connection: RdmaConnection): List<String> =
    connection
        .incoming()
        .texts() // copies, so that they can be kept
        .take(3)
        .toList()

internal suspend fun sendFlow(
    connection: RdmaConnection,
    lines: Flow<String>,
) {
    connection.send(lines)
}

internal suspend fun timeout(connection: RdmaConnection): String? =
    // A message that arrives too late waits for the next receive.
    withTimeoutOrNull(100.milliseconds) {
        connection.receiveText()
    }

internal suspend fun configuration(certificates: SSLContext?): RdmaServer =
    RdmaServer.bind("127.0.0.1", 0) {
        device = "soft0"
        receiveBuffers(count = 16, size = 4096)
        sendBuffers(count = 16, size = 4096)
        maxMessageSize = 1 shl 20
        handshakeTimeout = 5.seconds
        tls = certificates
        limits { connections = 100 }
        queuePair { maxSendWr = 64 }
        verifyPeerGid = false
    }

@Serializable
internal data class Reading(
    val sensor: String,
    val celsius: Double,
)

internal suspend fun serialized(connection: RdmaConnection): Reading {
    connection.send(Reading("roof", 21.5), Json)
    return connection.receive<Reading>(Json)
}

internal suspend fun buffers(connection: RdmaConnection): Long {
    val message = Buffer()
    message.writeInt(7)
    message.writeString("seven")
    connection.send(message)
    return connection.receiveBuffer().size
}

internal suspend fun byteStream(connection: RdmaConnection): Long {
    val stream = RdmaByteStream(connection)
    stream.write(Buffer().apply { writeString("seven") }) // collected
    stream.flush() // sent
    stream.end() // the peer's device has everything
    var length = 0L
    stream.buffers().collect { length += it.size } // until the peer's end
    return length
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

internal suspend fun durable(
    connection: RdmaConnection,
    log: RemoteMemory,
    end: RemoteMemory,
    record: RegisteredBuffer,
) {
    connection.write(record, log, PlacementType.PERSISTENCE)
    connection.atomicWrite(end, log.address() + record.limit()) // a reader that sees it finds the record
}

internal fun grant(connection: RdmaConnection): RemoteMemory {
    val memory = connection.allocate(4096, AccessFlag.LOCAL_WRITE)
    // The peer may access 8 bytes, for 30 seconds.
    return connection.grant(memory, 0, 8, 30.seconds, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC).remote()
}

internal suspend fun pooled(
    host: String,
    port: Int,
    question: String,
): String =
    RdmaConnectionPool
        .create(host, port, PoolOptions.DEFAULT.withMaxConnections(8))
        .use { pool ->
            pool.withConnection { connection ->
                connection.send(question)
                connection.receiveText()
            }
        }

internal fun callServer(): RdmaCallServer =
    RdmaCallServer(Json) {
        handle<Int, List<Int>>("dice") { number ->
            if (number > 10) throw RdmaCallException.of("dice.tooMany", "only 10 dice are there")
            List(number) { (1..6).random() }
        }
    }

internal suspend fun calls(connection: RdmaConnection): List<Int> =
    connection.withCalls(Json) { client ->
        try {
            client.call<Int, List<Int>>("dice", 12, 1.minutes)
        } catch (e: RdmaCallException) {
            if (e.type() != "dice.tooMany") throw e
            client.call<Int, List<Int>>("dice", 3, 1.minutes)
        }
    }
