package io.rdma.coroutines

import io.rdma.connect.ConnectMethod
import io.rdma.connect.RdmaResources
import io.rdma.engine.ResourceOptions
import io.rdma.reactive.RdmaBlockHoundIntegration
import io.rdma.soft.LinkFaults
import io.rdma.soft.SoftNetwork
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import reactor.blockhound.BlockHound
import reactor.blockhound.BlockingOperationError
import java.util.concurrent.atomic.AtomicReference
import kotlin.system.exitProcess
import kotlin.time.Duration.Companion.minutes

private val blocked = AtomicReference<Throwable>()

/**
 * Runs all operations that coroutines have on connections and datagrams, on the loop threads where that is possible.
 */
fun main() {
    BlockHound
        .builder()
        .with(RdmaBlockHoundIntegration())
        .blockingMethodCallback { method ->
            val error = BlockingOperationError(method)
            blocked.compareAndSet(null, error)
            throw error
        }.install()
    runBlocking {
        withTimeout(3.minutes) {
            for (connector in listOf(ConnectMethod.TCP, ConnectMethod.RDMA_CM)) {
                connected(connector, null) { client, peer -> exercise(client, peer) }
                connected(connector, null, ::fail)
            }
            val shared = ResourceOptions.DEFAULT.withSharedReceiveBuffers(64, 1024)
            RdmaResources.open(RdmaDevices.named("soft0"), shared).use { resources ->
                connected(ConnectMethod.TCP, resources) { client, peer -> exercise(client, peer) }
            }
            datagrams()
        }
    }
    blocked.get()?.let {
        it.printStackTrace()
        exitProcess(1)
    }
    println("nothing blocked")
}

private suspend fun connected(
    connector: ConnectMethod,
    shared: RdmaResources?,
    test: suspend CoroutineScope.(RdmaConnection, RdmaConnection) -> Unit,
) = withContext(Dispatchers.Default) {
    fun RdmaConfiguration.small() {
        device = "soft0"
        receiveBuffers(16, 1024)
        sendBuffers(4, 1024)
        options = options.withConnectMethod(connector)
    }
    val server =
        RdmaServer.bind("127.0.0.1", 0) {
            small()
            shared?.let { resources = it }
        }
    val accepted = Channel<RdmaConnection>(Channel.UNLIMITED)
    val serving =
        launch {
            server.serve {
                accepted.send(it)
                it.awaitClosed()
            }
        }
    val client = RdmaClient.connect("127.0.0.1", server.port) { small() }
    test(client, accepted.receive())
    client.closeAndAwait()
    server.closeAndAwait()
    serving.join()
}

private suspend fun exercise(
    client: RdmaConnection,
    peer: RdmaConnection,
) = withContext(Dispatchers.Unconfined) {
    // Unconfined: the thread that resumes a coroutine runs it. Here that is the loop.
    val received =
        async {
            peer
                .incoming()
                .decoded { it.length() }
                .take(300)
                .toList()
        }
    client.send((1..300).asFlow()) { n, _ -> n }
    check(received.await() == (1..300).toList())
    val large = async { peer.receive { it.length() } }
    client.send(100_000) { }
    check(large.await() == 100_000)
    val there = peer.allocate(8, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)
    client.acquire().use { buffer ->
        repeat(50) {
            client.write(buffer.limit(8), there.remote())
            client.read(there.remote(), buffer)
            client.fetchAndAdd(there.remote(), 1)
        }
    }
    repeat(20) {
        val sending = launch { client.send(8) { } }
        sending.cancel()
    }
}

/** Exchanges messages over a lossy link, then tries an access that the peer refuses. */
private suspend fun fail(
    scope: CoroutineScope,
    client: RdmaConnection,
    peer: RdmaConnection,
) {
    val network = SoftNetwork.ofThisProcess()
    network.setFaults(LinkFaults.NONE.withLoss(0.02).withReordering(0.02))
    exercise(client, peer)
    network.heal()
    val waiting = scope.async { runCatching { client.send((1..1_000).asFlow()) { _, _ -> 8 } } }
    check(runCatching { client.fetchAndAdd(RemoteMemory(4096, 8, 1), 1) }.isFailure)
    check(waiting.await().isFailure)
    client.awaitClosed()
    peer.awaitClosed()
}

private suspend fun datagrams() =
    withContext(Dispatchers.Unconfined) {
        suspend fun bind() =
            RdmaDatagramSocket.bind("127.0.0.1", 0) {
                device = "soft0"
                receiveBuffers(8, 64)
                sendBuffers(4, 64)
            }
        val one = bind()
        val other = bind()
        val address = one.resolve("127.0.0.1", other.localAddress.port)
        val received =
            async {
                other
                    .incoming()
                    .decoded { it.length() }
                    .take(50)
                    .toList()
            }
        while (received.isActive) { // a datagram may be lost
            one.send(8, { }, address)
            yield()
        }
        check(received.await().all { it == 8 })
        one.closeAndAwait()
        other.closeAndAwait()
    }
