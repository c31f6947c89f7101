package io.rdma.coroutines.call

import io.rdma.coroutines.RdmaConnection
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.serialization.SerialFormat
import java.util.concurrent.ConcurrentHashMap
import kotlin.time.Duration

/**
 * Handlers of calls, for any number of connections. [serve] runs them for one connection:
 *
 * ```
 * server.serve { connection -> calls.serve(connection) }
 * ```
 *
 * @param format format of the requests and answers, a `BinaryFormat` or a `StringFormat`
 * @param maxInFlight number of requests of one connection that are processed at a time, from 1. A further request is
 *     refused with the status `BUSY`.
 * @param configure adds the handlers
 *
 * @sample io.rdma.coroutines.samples.callServer
 */
public class RdmaCallServer(
    format: SerialFormat,
    private val maxInFlight: Int = MAX_IN_FLIGHT,
    configure: RdmaCallHandlers.() -> Unit,
) {
    private val handlers = RdmaCallHandlers(format).apply(configure).handlers.toMap()
    private val sessions: MutableSet<ServedConnection> = ConcurrentHashMap.newKeySet()

    @Volatile
    private var stopping = false

    init {
        require(maxInFlight >= 1) { "maxInFlight is $maxInFlight: use 1 or more" }
    }

    /** Number of requests that are being processed. */
    public val inFlight: Int get() = sessions.sumOf { it.inFlight }

    /**
     * Processes the requests of a client on the peer, each in a coroutine of its own. Returns when the connection has
     * ended in an orderly way, or after [stop] when all requests have their answers. When the connection has ended, the
     * handlers are cancelled. Meanwhile no other code may receive from this connection. Requests that cannot be
     * processed get an error as their answer.
     *
     * **Cancellation** cancels the handlers.
     *
     * @throws io.rdma.engine.ConnectionClosedException when the connection is lost
     * @throws io.rdma.engine.UnreliableConnectionException if the connection is unreliable
     */
    public suspend fun serve(connection: RdmaConnection) {
        val session = ServedConnection(connection, handlers, maxInFlight)
        sessions += session
        if (stopping) session.stop() // stop() may have run before `sessions` contained it
        try {
            session.run()
        } finally {
            sessions -= session
        }
    }

    /**
     * Accepts no more requests: they are refused with the status `STOPPING`. Suspends until the accepted ones have
     * their answers and every [serve] has ended the connection, for at most [patience]. Then cancels the handlers
     * that still run.
     *
     * @return whether all accepted requests have their answers
     */
    public suspend fun stop(patience: Duration): Boolean {
        stopping = true
        sessions.forEach { it.stop() }
        val drained = withTimeoutOrNull(patience) { sessions.toList().forEach { it.awaitEnd() } } != null
        sessions.forEach { it.cancel() }
        return drained
    }
}
