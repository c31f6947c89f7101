package io.rdma.samples.demo

import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.samples.support.ParentProcess
import io.rdma.types.AccessFlag
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext

/**
 * Runs the demo's server, with coroutines. It checks the messages that arrive and offers a region. It prints its port,
 * and ends when its standard input does.
 */
internal fun demoServer(device: String) =
    runBlocking {
        val server =
            RdmaServer.bind("127.0.0.1", 0) {
                this.device = device
                receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
            }
        val serving = launch(Dispatchers.Default) { server.serve { it.check() } }
        println(DemoServer.READY + server.port)
        withContext(Dispatchers.IO) { ParentProcess.awaitEnd() }
        server.closeAndAwait()
        serving.join()
    }

private suspend fun RdmaConnection.check() {
    val region =
        allocate(
            DemoProtocol.REGION_BYTES.toLong(),
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
        )
    val checker = DemoChecker(region.segment())
    send(RemoteMemory.ENCODED_BYTES) { region.remote().encode(it) }
    incoming().collect { message ->
        checker.answer(message.segment())?.let { (first, second) ->
            send(DemoProtocol.ANSWER_BYTES) { DemoProtocol.encodeAnswer(it, first, second) }
        }
    }
}
