package io.rdma.samples.simulation.world

import io.rdma.connect.RdmaConnectException
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.delay
import kotlinx.coroutines.future.future
import kotlinx.coroutines.withContext
import java.util.concurrent.CompletionException
import kotlin.time.toKotlinDuration

/** The coroutines front-end on a host. The coroutines run where [kind] says. */
internal class CoroutinesFrontEnd(
    host: Host,
    verdict: Verdict,
    kind: FrontEnd.Kind,
) : FrontEnd {
    private val dispatcher: CoroutineDispatcher =
        when (kind) {
            FrontEnd.Kind.COROUTINES -> Dispatchers.Default
            FrontEnd.Kind.SEQUENTIAL_COROUTINES -> Dispatchers.Default.limitedParallelism(1)
            FrontEnd.Kind.UNCONFINED_COROUTINES -> Dispatchers.Unconfined
            FrontEnd.Kind.REACTOR -> throw IllegalArgumentException("not coroutines: $kind")
        }
    private val calls = CoroutineCalls(verdict, host, dispatcher)

    /** Starts a call that the server may have to refuse. */
    private fun <T : Any> judged(
        name: String,
        setup: FrontEnd.Setup,
        block: suspend () -> T?,
    ): CoroutineCall<T> =
        calls.start(name) {
            try {
                block()
            } catch (e: RdmaConnectException) {
                throw setup.judged(e)
            }
        }

    private fun link(connection: RdmaConnection): Link = CoroutinesLink(connection, calls)

    private fun RdmaConfiguration.use(setup: FrontEnd.Setup) {
        resources = setup.resources()
        options = setup.options().apply(options)
    }

    override fun connect(
        name: String,
        setup: FrontEnd.Setup,
    ): Call<Link> =
        judged(name, setup) {
            link(RdmaClient.connect(setup.address().address.hostAddress, setup.address().port) { use(setup) })
        }

    override fun reconnect(
        name: String,
        setup: FrontEnd.Setup,
        retries: Int,
        handler: FrontEnd.Handler,
    ): Call<Void> =
        judged<Void>(name, setup) {
            var losses = 0
            RdmaClient.reconnect(
                setup.address().address.hostAddress,
                setup.address().port,
                retry = { _, _ ->
                    delay(FrontEnd.BEFORE_RETRY.toKotlinDuration())
                    losses++ < retries
                },
                configure = { use(setup) },
            ) { connection -> serve(connection, handler) }
            null
        }

    /** Runs a handler, which may block. */
    private suspend fun serve(
        connection: RdmaConnection,
        handler: FrontEnd.Handler,
    ) = withContext(Dispatchers.IO) { handler.serve(link(connection)) }

    private fun bound(setup: FrontEnd.Setup): RdmaServer {
        val binding =
            CoroutineScope(dispatcher).future {
                RdmaServer.bind(setup.address().address.hostAddress, setup.address().port) { use(setup) }
            }
        try {
            return binding.join()
        } catch (e: CompletionException) {
            throw e.cause ?: e
        }
    }

    override fun bind(
        setup: FrontEnd.Setup,
        handler: FrontEnd.Handler,
    ): FrontEnd.Service {
        val server = bound(setup)
        val serving =
            calls.act("server serves") {
                server.serve { connection -> serve(connection, handler) }
            }
        return FrontEnd.Service {
            calls.act("server stops") {
                server.closeAndAwait()
                serving.join()
            }
        }
    }
}
