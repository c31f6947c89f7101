package io.rdma.coroutines.test

import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext
import java.util.concurrent.ConcurrentLinkedDeque

/** Ends of the servers and connections of a test. */
internal class Endings {
    private val newestFirst = ConcurrentLinkedDeque<suspend () -> Unit>()

    fun add(ending: suspend () -> Unit): Unit = newestFirst.addFirst(ending)

    /** Runs all of them, even if the test was cancelled or one of them fails. Returns the first failure. */
    suspend fun run(): Throwable? =
        withContext(NonCancellable) {
            var failure: Throwable? = null
            for (ending in newestFirst) {
                try {
                    ending()
                } catch (e: Throwable) {
                    failure?.addSuppressed(e) ?: run { failure = e }
                }
            }
            failure
        }
}
