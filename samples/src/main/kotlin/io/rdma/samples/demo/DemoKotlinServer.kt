package io.rdma.samples.demo

import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.samples.support.ParentProcess
import io.rdma.types.RemoteMemory
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext

/**
 * Runs the demo's server, with coroutines. It checks the messages that arrive and offers a region. It prints its port,
 * and ends when its standard input does.
 */
internal fun demoServer(setup: DemoSetup) =
    runBlocking {
        val server =
            RdmaServer.bind(setup.host, 0) {
                device = setup.device
                receiveBuffers(128, DemoProtocol.MAX_MESSAGE)
            }
        val serving = launch(Dispatchers.Default) { server.serve { it.check(setup) } }
        println(DemoServer.READY + server.port)
        withContext(Dispatchers.IO) { ParentProcess.awaitEnd() }
        server.closeAndAwait()
        serving.join()
    }

private suspend fun RdmaConnection.check(setup: DemoSetup) {
    val region = allocate(DemoProtocol.REGION_BYTES.toLong(), *setup.rights())
    val checker = DemoChecker(region.segment())
    send(RemoteMemory.ENCODED_BYTES) { region.remote().encode(it) }
    incoming().collect { message ->
        checker.answer(message.segment())?.let { (first, second) ->
            send(DemoProtocol.ANSWER_BYTES) { DemoProtocol.encodeAnswer(it, first, second) }
        }
    }
}
