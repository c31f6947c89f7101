package io.rdma.coroutines.spring.boot

import io.rdma.connect.ConnectionOptions
import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaConfiguration
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.RdmaServer
import io.rdma.spring.boot.RdmaContextServer
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.future.future
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import reactor.core.publisher.Mono
import java.lang.System.Logger
import kotlin.time.Duration
import kotlin.time.toKotlinDuration

// Invariants
// - A handler is counted in `active` from its start to its end, and no handler starts once `stopping` is set.
// - A stop completes when the server is closed, and all handlers have ended or two time-outs are over: handlers are
//   cancelled after the first.
// - A stop needs none of the threads that handlers may block.

/**
 * Life cycle of the server of an [RdmaCoroutineHandler], which runs from the start of the context to its stop. A stop
 * gives handlers `rdma.server.shutdown-timeout` to end by themselves, then cancels them and gives them as much again.
 * It goes on without a handler that blocks its thread for longer.
 */
public class RdmaCoroutineServerLifecycle private constructor(
    private val host: String,
    private val port: Int,
    private val handler: RdmaCoroutineHandler,
    private val shutdownTimeout: Duration,
    private val configure: RdmaConfiguration.() -> Unit,
    resources: RdmaResources,
    private val used: UsedOptions,
) : RdmaContextServer<RdmaServer>("rdma.server", { it.address }, resources, { used.options }) {
    internal constructor(
        host: String,
        port: Int,
        handler: RdmaCoroutineHandler,
        shutdownTimeout: Duration,
        configure: RdmaConfiguration.() -> Unit,
        resources: RdmaResources,
    ) : this(host, port, handler, shutdownTimeout, configure, resources, UsedOptions())

    /** The options of the server, which customizers have changed once it listens. */
    private class UsedOptions {
        @Volatile
        var options: ConnectionOptions = ConnectionOptions.DEFAULT
    }

    private inner class Serving(
        private val server: RdmaServer,
    ) {
        private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
        private val active = MutableStateFlow(0)

        @Volatile
        private var stopping = false

        private val job = scope.launch { server.serve { connection -> serve(connection) } }

        private suspend fun serve(connection: RdmaConnection) {
            active.update { it + 1 } // before the check: a stop that begins later finds it
            try {
                if (!stopping) handler.handle(connection)
            } finally {
                active.update { it - 1 }
            }
        }

        fun stop(): Mono<Void> =
            Mono
                .fromFuture {
                    CoroutineScope(Dispatchers.IO).future {
                        stopping = true
                        withTimeoutOrNull(shutdownTimeout) { active.first { it == 0 } }
                        server.close()
                        job.cancel()
                        withTimeoutOrNull(shutdownTimeout) { job.join() } ?: logLeftBehind()
                        server.closeAndAwait()
                    }
                }.then()

        private fun logLeftBehind() {
            val left = active.value
            if (left > 0 && shutdownTimeout > Duration.ZERO) {
                LOG.log(
                    Logger.Level.WARNING,
                    "handlers that have not ended $shutdownTimeout after they were cancelled: $left. The stop goes " +
                        "on without them. A handler that blocks its thread cannot be cancelled: let it suspend " +
                        "instead, or set rdma.server.shutdown-timeout to a longer time",
                )
            }
        }
    }

    private var serving: Serving? = null

    override fun bind(): RdmaServer {
        val server =
            runBlocking {
                withTimeout(START_TIMEOUT.toKotlinDuration()) {
                    RdmaServer.bind(host, port) {
                        configure()
                        used.options = options
                    }
                }
            }
        serving = Serving(server)
        return server
    }

    override fun close(server: RdmaServer): Mono<Void> = checkNotNull(serving).stop()

    private companion object {
        private val LOG = System.getLogger(RdmaCoroutineServerLifecycle::class.java.name)
    }
}
