package io.rdma.coroutines.test

import io.rdma.test.TestNetwork
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * Runs a test on a network of its own, with any test framework. Blocks until [body] and all coroutines that it started
 * in its scope have ended; the test cancels those that have no end. Then it closes the connections and servers that
 * were made with [RdmaTestScope], and looks for objects that the test left open.
 *
 * Delays take their real time: the devices have threads of their own, which the virtual time of `runTest` does not
 * reach. [body] runs on [Dispatchers.Default].
 *
 * @param timeout time limit of [body]; a body that exceeds it is cancelled
 * @throws kotlinx.coroutines.TimeoutCancellationException if [body] takes longer than [timeout]
 * @throws AssertionError if the test's device has open objects at the end; the message lists them
 * @sample io.rdma.coroutines.test.aServiceIsTested
 */
public fun runRdmaTest(
    timeout: Duration = 60.seconds,
    body: suspend RdmaTestScope.() -> Unit,
): Unit =
    TestNetwork().use { network ->
        runBlocking(Dispatchers.Default) {
            withTimeout(timeout) { runOn(network, body) }
        }
    }

/** Runs [body] in a scope of its own, so that its coroutines end before the connections that they use are closed. */
private suspend fun CoroutineScope.runOn(
    network: TestNetwork,
    body: suspend RdmaTestScope.() -> Unit,
) {
    val endings = Endings()
    val outcome = runCatching { coroutineScope { RdmaTestScope(network, this, this@runOn, endings).body() } }
    network.network().heal()
    val failed = endings.run()
    outcome.onFailure {
        failed?.let(it::addSuppressed)
        throw it
    }
    failed?.let { throw it }
}
