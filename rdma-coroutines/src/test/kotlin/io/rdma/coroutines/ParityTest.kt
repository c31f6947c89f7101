package io.rdma.coroutines

import io.rdma.coroutines.call.RdmaCallClient
import io.rdma.coroutines.call.RdmaCallHandlers
import io.rdma.coroutines.call.RdmaCallServer
import io.rdma.coroutines.pool.PooledRdmaConnection
import io.rdma.coroutines.pool.RdmaConnectionPool
import io.rdma.coroutines.structures.RdmaCounters
import io.rdma.coroutines.structures.RdmaLease
import io.rdma.coroutines.structures.RdmaLocks
import io.rdma.coroutines.structures.RdmaRecords
import io.rdma.coroutines.structures.RdmaRing
import io.rdma.coroutines.structures.RdmaTable
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.lang.reflect.Modifier

/**
 * Parity test of the two front-ends: they offer the same operations under the same names. Each difference is listed
 * here with its reason.
 */
class ParityTest {
    private fun names(type: Class<*>): Set<String> =
        type.declaredMethods
            .filter { Modifier.isPublic(it.modifiers) && !it.isSynthetic && '$' !in it.name }
            .map { it.name.substringBefore('-') } // the compiler adds the rest for value classes such as Duration
            .map { it.removePrefix("get").replaceFirstChar(Char::lowercase) } // properties of Kotlin
            .toSet() - setOf("toString", "equals", "hashCode")

    /**
     * Reactor's dispose family is what Reactor's users expect; Kotlin's users expect close, use and a suspending wait.
     */
    private val reactorOnly =
        setOf(
            "dispose",
            "isDisposed",
            "disposeLater",
            "onDispose",
            "disposeNow",
            // Names of Reactor Netty. A method send(value, encoder) would be ambiguous beside send(publisher, encoder).
            "sendObject",
            "sendString",
            "sendByteArray",
        )
    private val kotlinOnly =
        setOf(
            "close",
            "isClosed",
            "closeAndAwait",
            "awaitClosed",
            // A Flow of messages, each given back after its block. Reactor's counterpart is receive(decoder).
            "incoming",
            // One message as text or bytes, or null after an orderly end. Reactor's receive() has asString() and
            // asByteArray(), and completes at the end.
            "receiveText",
            "receiveTextOrNull",
            "receiveBytes",
            "receiveBytesOrNull",
            "receiveOrNull",
        )

    @Test
    fun `both connections have the same operations`() {
        val reactor = names(io.rdma.reactive.RdmaConnection::class.java) - reactorOnly
        val kotlin = names(RdmaConnection::class.java) - kotlinOnly
        assertThat(kotlin).isEqualTo(reactor)
    }

    @Test
    fun `both datagram endpoints have the same operations`() {
        val reactor = names(io.rdma.reactive.RdmaDatagramSocket::class.java) - reactorOnly
        val kotlin = names(RdmaDatagramSocket::class.java) - kotlinOnly
        // Reactor's users bind by a builder, Kotlin's by RdmaDatagramSocket.bind.
        assertThat(kotlin).isEqualTo(reactor - "create").contains("send", "receive", "join", "leave", "resolve")
        assertThat(names(RdmaDatagramSocket.Companion::class.java)).containsExactly("bind")
    }

    @Test
    fun `both have the same ends of extended reliable connections`() {
        val end = names(io.rdma.reactive.RdmaXrcEnd::class.java)
        val pairs =
            listOf(
                io.rdma.reactive.RdmaXrcSender::class.java to RdmaXrcSender::class.java,
                io.rdma.reactive.RdmaXrcReceiver::class.java to RdmaXrcReceiver::class.java,
            )
        for ((reactor, kotlin) in pairs) {
            // Reactor's users make them by builders, Kotlin's by bind and connect.
            assertThat(names(kotlin) - kotlinOnly).isEqualTo(end + names(reactor) - reactorOnly - "create")
        }
        assertThat(names(RdmaXrcServer::class.java) - kotlinOnly).containsExactlyInAnyOrder("address", "port")
    }

    @Test
    fun `both have the events of devices`() {
        assertThat(names(Class.forName("io.rdma.coroutines.RdmaEvents")))
            .isEqualTo(names(io.rdma.reactive.RdmaEvents::class.java))
            .containsExactly("events")
    }

    @Test
    fun `both close the resources of the process`() {
        assertThat(names(io.rdma.reactive.RdmaSharedResources::class.java)).containsExactly("disposeLater")
        assertThat(names(Class.forName("io.rdma.coroutines.RdmaSharedResources"))).containsExactly("closeAndAwait")
    }

    @Test
    fun `both call handlers and serve calls`() {
        val reactiveClient = names(io.rdma.reactive.call.RdmaCallClient::class.java) - reactorOnly
        // Reactor's users make a client by create, Kotlin's by withCalls; its inline functions read the format.
        assertThat(names(RdmaCallClient::class.java) - "format").isEqualTo(reactiveClient - "create")
        assertThat(names(RdmaCallServer::class.java))
            .isEqualTo(names(io.rdma.reactive.call.RdmaCallServer::class.java) - "builder")
        // Reactor's users set maxInFlight in the builder, Kotlin's in the constructor.
        assertThat(names(RdmaCallHandlers::class.java) - "format")
            .isEqualTo(names(io.rdma.reactive.call.RdmaCallServer.Builder::class.java) - "build" - "maxInFlight")
    }

    @Test
    fun `both receive messages in the same forms`() {
        val forms = mapOf("asString" to "texts", "asByteArray" to "bytes", "as" to "decoded")
        // A byte buffer is wrapped around the array. Reactor's users subscribe to a form, Kotlin's collect.
        val reactive = names(io.rdma.reactive.InboundMessages::class.java) - "asByteBuffer"
        assertThat(names(InboundMessages::class.java) - "collect").isEqualTo(reactive.map { forms[it] }.toSet())
    }

    @Test
    fun `both have byte streams`() {
        // Blocking streams of java.io are for Java's virtual threads. kotlinx-io's buffers are extensions.
        val javaOnly = setOf("of", "inputStream", "outputStream")
        assertThat(names(RdmaByteStream::class.java))
            .isEqualTo(names(io.rdma.reactive.RdmaByteStream::class.java) - javaOnly)
            .containsExactlyInAnyOrder("write", "flush", "end", "read")
    }

    @Test
    fun `both pools have the same operations`() {
        val reactor = names(io.rdma.reactive.pool.RdmaConnectionPool::class.java) - reactorOnly
        assertThat(names(RdmaConnectionPool::class.java) - kotlinOnly + names(RdmaConnectionPool.Companion::class.java))
            .isEqualTo(reactor)
            .contains("create", "acquire", "withConnection")
        // Reactor's operators dispose of a connection that they discard. Coroutines have no such operators.
        assertThat(names(PooledRdmaConnection::class.java))
            .isEqualTo(names(io.rdma.reactive.pool.PooledRdmaConnection::class.java) - reactorOnly)
            .containsExactlyInAnyOrder("connection", "release", "invalidate")
    }

    @Test
    fun `both use the same structures`() {
        val pairs =
            listOf(
                io.rdma.reactive.structures.RdmaCounters::class.java to RdmaCounters::class.java,
                io.rdma.reactive.structures.RdmaRecords::class.java to RdmaRecords::class.java,
                io.rdma.reactive.structures.RdmaTable::class.java to RdmaTable::class.java,
                io.rdma.reactive.structures.RdmaLocks::class.java to RdmaLocks::class.java,
                io.rdma.reactive.structures.RdmaRing::class.java to RdmaRing::class.java,
            )
        for ((reactor, kotlin) in pairs) {
            assertThat(names(kotlin)).isEqualTo(names(reactor)).contains("allocate", "open")
        }
        assertThat(names(RdmaLease::class.java)).isEqualTo(names(io.rdma.reactive.structures.RdmaLease::class.java))
    }

    @Test
    fun `the listed differences exist`() {
        val disposable = names(io.rdma.reactive.RdmaDisposable::class.java)
        assertThat(names(io.rdma.reactive.RdmaConnection::class.java) + disposable)
            .containsAll(reactorOnly - "isDisposed")
        assertThat(reactorOnly).containsAll(disposable)
        assertThat(names(RdmaConnection::class.java)).containsAll(kotlinOnly)
    }
}
