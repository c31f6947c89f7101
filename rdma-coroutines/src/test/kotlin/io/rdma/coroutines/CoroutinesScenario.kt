package io.rdma.coroutines

import io.rdma.connect.RdmaResources
import io.rdma.testing.seam.SeamScenario
import io.rdma.testing.seam.Setup
import io.rdma.testing.seam.Tally
import io.rdma.types.AccessFlag
import io.rdma.verbs.RdmaDevice
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.count
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import kotlin.time.Duration.Companion.milliseconds

/** Scenario of a server that echoes messages and a client that uses every operation of a connection. */
internal class CoroutinesScenario : SeamScenario {
    /** Exception of a failed step, whose failure the tally already has. */
    private class Failed : Exception()

    override fun run(
        device: RdmaDevice,
        setup: Setup,
        tally: Tally,
    ) = runBlocking(Dispatchers.Default) {
        // Opens again, once, what a fault has broken: a device that failed at one call works at the next.
        if (Attempt(device, setup, tally).run() || Attempt(device, setup, tally).run()) tally.worked()
    }

    /** Server and client on resources of their own, from their opening to their close. */
    private class Attempt(
        private val device: RdmaDevice,
        private val setup: Setup,
        private val tally: Tally,
    ) {
        private val accepted = Channel<RdmaConnection>(Channel.UNLIMITED)

        /** Returns whether a connection works at the end of the attempt. */
        suspend fun run(): Boolean {
            val serving = attempt { step("the server's resources") { setup.open(device) } }
            val asking = attempt { step("the client's resources") { setup.open(device) } }
            return try {
                serving != null && asking != null && attempt { serve(serving, asking) } == true
            } finally {
                attempt { step("close of the client's resources") { asking?.close() } }
                attempt { step("close of the server's resources") { serving?.close() } }
            }
        }

        private suspend fun serve(
            serving: RdmaResources,
            asking: RdmaResources,
        ): Boolean {
            val server =
                attempt {
                    step("bind") {
                        RdmaServer.bind(setup.host(), 0) {
                            resources = serving
                            options = setup.options()
                        }
                    }
                } ?: return false
            return coroutineScope {
                launch { attempt { step("serve") { server.serve { echo(it) } } } }
                try {
                    val all = attempt { session(asking, server.port, true) } ?: false
                    attempt { session(asking, server.port, !all) } ?: false
                } finally {
                    attempt { step("the server's end") { server.closeAndAwait() } }
                }
            }
        }

        private suspend fun echo(connection: RdmaConnection) {
            accepted.send(connection)
            attempt {
                step("the handler") {
                    connection.send(connection.incoming().bytes()) { bytes, target ->
                        if (bytes.size <= target.byteSize()) {
                            target.copyFrom(MemorySegment.ofArray(bytes))
                            bytes.size
                        } else {
                            -bytes.size // asks for a larger buffer
                        }
                    }
                }
            }
        }

        /** Makes a connection, uses it and closes it. Returns whether the connection did all that it should. */
        private suspend fun session(
            asking: RdmaResources,
            port: Int,
            everything: Boolean,
        ): Boolean {
            val client =
                step("connect") {
                    RdmaClient.connect(setup.host(), port) {
                        resources = asking
                        options = setup.options()
                    }
                }
            try {
                val peer = accepted(client)
                messages(client)
                if (everything) {
                    large(client)
                    oneSided(client, peer)
                    window(client, peer)
                    registered(client, peer)
                }
                step("close of the client") { client.closeAndAwait() }
                step("the peer's end") { peer.awaitClosed() }
                return true
            } finally {
                attempt { step("close of the client") { client.closeAndAwait() } }
                while (true) {
                    val peer = accepted.tryReceive().getOrNull() ?: break
                    attempt { step("close of a peer") { peer.closeAndAwait() } }
                }
            }
        }

        private suspend fun accepted(client: RdmaConnection): RdmaConnection {
            while (true) {
                val peer = accepted.tryReceive().getOrNull()
                if (peer != null) {
                    accepted.send(peer)
                    return peer
                }
                if (client.isClosed) throw Failed()
                delay(1.milliseconds)
            }
        }

        private suspend fun messages(client: RdmaConnection) =
            coroutineScope {
                val arrived =
                    async {
                        attempt {
                            step(
                                "receive",
                            ) {
                                client
                                    .incoming()
                                    .decoded { it.length() }
                                    .take(MESSAGES)
                                    .count()
                            }
                        }
                    }
                attempt { step("send") { client.send((1..MESSAGES).asFlow()) { length, _ -> length } } }
                if (arrived.await() != MESSAGES) throw Failed()
            }

        private suspend fun large(client: RdmaConnection) =
            coroutineScope {
                val arrived = async { attempt { step("receive a large message") { client.receive { it.length() } } } }
                attempt { step("send a large message") { client.send(setup.large()) { it.fill(1) } } }
                if (arrived.await() != setup.large()) throw Failed()
            }

        private suspend fun oneSided(
            client: RdmaConnection,
            peer: RdmaConnection,
        ) {
            val region =
                step("allocate") {
                    peer.allocate(
                        BLOCK,
                        AccessFlag.LOCAL_WRITE,
                        AccessFlag.REMOTE_WRITE,
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_ATOMIC,
                    )
                }
            step("acquire") { client.acquire() }.use { buffer ->
                buffer.limit(BLOCK.toInt())
                step("write") { client.write(buffer, region.remote()) }
                step("read") { client.read(region.remote(), buffer) }
            }
            step("fetch and add") { client.fetchAndAdd(region.remote().slice(0, Long.SIZE_BYTES.toLong()), 1) }
        }

        private suspend fun window(
            client: RdmaConnection,
            peer: RdmaConnection,
        ) {
            val region =
                step("allocate for a window") { peer.allocate(BLOCK, AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND) }
            step("bind a window") { peer.bind(region, 0, BLOCK, AccessFlag.REMOTE_WRITE) }.use { window ->
                step("acquire for a window") { client.acquire() }.use { buffer ->
                    step("write to a window") { client.write(buffer.limit(BLOCK.toInt()), window.remote()) }
                }
            }
        }

        private suspend fun registered(
            client: RdmaConnection,
            peer: RdmaConnection,
        ) {
            val region =
                step("allocate for registered memory") {
                    peer.allocate(BLOCK, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)
                }
            Arena.ofShared().use { arena ->
                val memory = arena.allocate(BLOCK)
                step("register") { client.register(memory) }.use { buffer ->
                    step("write registered memory") { client.write(buffer, region.remote()) }
                }
                client.endpoint.registrations().invalidate(memory)
            }
        }

        private suspend fun <T> step(
            what: String,
            block: suspend () -> T,
        ): T {
            val operation = tally.begin(what)
            val result =
                try {
                    block()
                } catch (e: Throwable) {
                    operation.failed(e)
                    throw Failed()
                }
            operation.ended()
            return result
        }

        /** Runs a block. Returns null if it failed; the tally then has the failure. */
        private suspend fun <T> attempt(block: suspend () -> T): T? =
            try {
                block()
            } catch (e: Throwable) {
                // also thrown by a close, which passes on errors of the device
                if (e !is Failed) tally.begin("session").failed(e)
                null
            }
    }

    private companion object {
        const val MESSAGES = 10
        const val BLOCK = 64L
    }
}
