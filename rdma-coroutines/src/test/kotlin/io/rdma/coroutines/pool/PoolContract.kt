package io.rdma.coroutines.pool

import io.rdma.connect.AddressSupplier
import io.rdma.connect.PoolExhaustedException
import io.rdma.connect.PoolExhaustedException.Limit
import io.rdma.connect.PoolOptions
import io.rdma.connect.RdmaConnectException
import io.rdma.connect.RdmaConnectException.Reason
import io.rdma.connect.ServerAddress
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import java.lang.foreign.MemorySegment
import java.net.InetAddress
import java.time.Duration
import java.util.concurrent.atomic.AtomicReference
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toKotlinDuration

/** Contract of pools of connections, the same on every device. Time is virtual, connections are not. */
abstract class PoolContract {
    /** Name of the device. */
    abstract val device: String

    private fun test(body: suspend PoolFixture.() -> Unit) = PoolFixture(device).run(body)

    private fun most(connections: Int) = PoolOptions.DEFAULT.withMaxConnections(connections)

    private suspend fun ask(
        pool: RdmaConnectionPool,
        question: String,
    ) = pool.withConnection { connection ->
        val bytes = question.toByteArray()
        connection.send(bytes.size) { it.copyFrom(MemorySegment.ofArray(bytes)) }
        connection.receive { String(it.toByteArray()) }
    }

    private suspend inline fun <reified T : Throwable> failure(block: suspend () -> Unit): T {
        try {
            block()
        } catch (e: Throwable) {
            assertThat(e).isInstanceOf(T::class.java)
            return e as T
        }
        throw AssertionError("it did not fail")
    }

    private fun until(condition: () -> Boolean) = await().atMost(PoolFixture.PATIENCE).until(condition)

    @Test
    fun `one connection serves many users one after the other`() =
        test {
            val pool = pool(server(), most(4))
            repeat(20) { assertThat(ask(pool, "question $it")).isEqualTo("question $it") }
            assertThat(pool.metrics.opened()).isOne()
            assertThat(pool.metrics.idle()).isOne()
            assertThat(pool.metrics.active()).isZero()
            awaitConnections(1)
        }

    @Test
    fun `users beyond the bound wait in order, and those beyond the queue are refused`() =
        test {
            val pool = pool(server(), most(2).withPendingAcquireMaxCount(2))
            val first = pool.acquire()
            val second = pool.acquire()
            val third = scope.async(start = CoroutineStart.UNDISPATCHED) { pool.acquire() }
            val fourth = scope.async(start = CoroutineStart.UNDISPATCHED) { pool.acquire() }
            assertThat(pool.metrics.pending()).isEqualTo(2)
            val refused = failure<PoolExhaustedException> { pool.acquire() }
            assertThat(refused.limit()).isEqualTo(Limit.PENDING_ACQUIRE_MAX_COUNT)
            assertThat(refused).hasMessageContaining("pendingAcquireMaxCount")
            assertThat(pool.metrics.exhausted()).isOne()
            second.release()
            assertThat(third.await().connection).isSameAs(second.connection)
            assertThat(fourth.isCompleted).isFalse()
            first.release()
            first.release() // changes nothing
            assertThat(fourth.await().connection).isSameAs(first.connection)
            first.invalidate(IllegalStateException("a handle after its end"))
            assertThat(fourth.await().connection.isClosed).isFalse()
            assertThat(pool.metrics.active()).isEqualTo(2)
            third.await().release()
            fourth.await().release()
        }

    @Test
    fun `a wait that takes too long names the option`() =
        test {
            val pool = pool(server(), most(1).withPendingAcquireTimeout(Duration.ofSeconds(5)))
            val only = pool.acquire()
            val waiting =
                scope.async(start = CoroutineStart.UNDISPATCHED) {
                    failure<PoolExhaustedException> { pool.acquire() }
                }
            pass(4999.milliseconds)
            assertThat(pool.metrics.pending()).isOne()
            pass(1.milliseconds)
            val timedOut = waiting.await()
            assertThat(timedOut.limit()).isEqualTo(Limit.PENDING_ACQUIRE_TIMEOUT)
            assertThat(timedOut).hasMessageContaining("pendingAcquireTimeout")
            assertThat(pool.metrics.pending()).isZero()
            only.release()
            assertThat(ask(pool, "afterwards")).isEqualTo("afterwards")
        }

    @Test
    fun `a warm-up makes connections before the first use`() =
        test {
            val pool = pool(server(), most(4).withWarmupConnections(3))
            assertThat(ask(pool, "cold")).isEqualTo("cold") // one is idle, which must not count for all three
            assertThat(pool.warmup()).isEqualTo(3)
            awaitConnections(3)
            assertThat(pool.metrics.idle()).isEqualTo(3)
            assertThat(pool.warmup()).isEqualTo(3)
            assertThat(ask(pool, "warm")).isEqualTo("warm")
            assertThat(pool.metrics.opened()).isEqualTo(3)
        }

    @Test
    fun `connections that are idle too long or too old are closed`() =
        test {
            val options =
                most(4)
                    .withWarmupConnections(2)
                    .withMaxIdleTime(Duration.ofMinutes(1))
                    .withMaxLifeTime(Duration.ofMinutes(2))
            val pool = pool(server(), options.withEvictInBackground(Duration.ofSeconds(10)))
            pool.warmup()
            awaitConnections(2)
            pass(50.seconds)
            assertThat(ask(pool, "in use")).isEqualTo("in use")
            pass(10.seconds)
            awaitConnections(1)
            val old = pool.acquire()
            pass(1.minutes)
            assertThat(old.connection.isClosed).describedAs("while in use").isFalse()
            old.release()
            awaitConnections(0)
            assertThat(ask(pool, "young")).isEqualTo("young")
        }

    @Test
    fun `the order of reuse is that of the option`() =
        test {
            for (lifo in listOf(false, true)) {
                val pool = pool(server(), most(2).withLifo(lifo))
                val first = pool.acquire()
                val second = pool.acquire()
                first.release()
                second.release()
                assertThat(pool.withConnection { it }).isSameAs((if (lifo) second else first).connection)
            }
        }

    @Test
    fun `a connection that the peer closed is evicted`() =
        test {
            val server = server()
            val pool = pool(server, most(2).withWarmupConnections(2))
            pool.warmup()
            server.closeAndAwait()
            until {
                pass(PoolOptions.DEFAULT.evictInBackground().toKotlinDuration())
                pool.metrics.idle() == 0
            }
            server("127.0.0.1", server.port)
            assertThat(ask(pool, "of the new one")).isEqualTo("of the new one")
        }

    @Test
    fun `an acquire that is cancelled takes no connection`() =
        test {
            val pool = pool(server(), most(1))
            val only = pool.acquire()
            val cancelled = scope.launch(start = CoroutineStart.UNDISPATCHED) { pool.withConnection {} }
            val next = scope.async(start = CoroutineStart.UNDISPATCHED) { ask(pool, "next") }
            assertThat(pool.metrics.pending()).isEqualTo(2)
            cancelled.cancelAndJoin()
            assertThat(pool.metrics.pending()).isOne()
            only.release()
            assertThat(next.await()).isEqualTo("next")
            assertThat(pool.metrics.opened()).isOne()
        }

    @Test
    fun `the answer of a cancelled user never reaches the next one`() =
        test {
            val gate = CompletableDeferred<Unit>()
            val asked = CompletableDeferred<Unit>()
            val server =
                server { question ->
                    if (question != "slow") return@server question
                    asked.complete(Unit)
                    gate.await()
                    "the late answer"
                }
            val pool = pool(server, most(1))
            val slow = scope.launch { ask(pool, "slow") }
            asked.await()
            slow.cancelAndJoin()
            gate.complete(Unit)
            assertThat(ask(pool, "quick")).isEqualTo("quick")
            assertThat(pool.metrics.opened()).isEqualTo(2)
        }

    @Test
    fun `a connection with an answer that was not awaited is not used again`() =
        test {
            val pool = pool(server(), most(1))
            val held = pool.acquire()
            held.connection.send("one")
            held.connection.send("two")
            assertThat(held.connection.receiveText()).isEqualTo("one")
            until { held.connection.endpoint.outstandingReceives() == 1 }
            held.release()
            assertThat(ask(pool, "three")).isEqualTo("three")
            held.connection.awaitClosed()
            assertThat(pool.metrics.opened()).isEqualTo(2)
        }

    @Test
    fun `a failure of the user ends the connection unless it keeps it`() =
        test {
            val pool = pool(server(), most(1))
            val first = pool.withConnection { it }
            failure<IllegalStateException> { pool.withConnection({ true }) { error("harmless") } }
            assertThat(pool.withConnection { it }).isSameAs(first)
            failure<IllegalStateException> { pool.withConnection { error("unknown") } }
            first.awaitClosed()
            failure<ArithmeticException> {
                pool.withConnection({ throw ArithmeticException() }) { error("kept?") }
            }
            assertThat(ask(pool, "next")).isEqualTo("next")
            assertThat(pool.metrics.opened()).isEqualTo(3)
        }

    @Test
    fun `a pool that is closed waits for its users`() =
        test {
            val pool = pool(server(), most(2))
            val held = pool.acquire()
            pool.acquire().release()
            val end = scope.launch(start = CoroutineStart.UNDISPATCHED) { pool.closeAndAwait() }
            awaitConnections(1)
            assertThat(end.isCompleted).isFalse()
            assertThat(failure<IllegalStateException> { pool.acquire() }).hasMessageContaining("pool is closed")
            held.release()
            end.join()
            awaitConnections(0)
        }

    @Test
    fun `a pool that is closed while it connects leaves nothing`() =
        test {
            val server = server()
            repeat(20) {
                val pool = pool(server, most(4).withWarmupConnections(4))
                scope.launch(start = CoroutineStart.UNDISPATCHED) { runCatching { pool.warmup() } }
                pool.closeAndAwait()
            }
            awaitConnections(0)
        }

    @Test
    fun `users that are cancelled at any moment leak nothing`() =
        test {
            val pool = pool(server(), most(2).withPendingAcquireMaxCount(1000))
            repeat(200) {
                val user = scope.launch { ask(pool, "cancelled") }
                Thread.yield()
                user.cancel()
            }
            until { pool.metrics.active() == 0 && pool.metrics.pending() == 0 }
            assertThat(ask(pool, "afterwards")).isEqualTo("afterwards")
        }

    /** Holds as many connections at once, and returns their number for each server's port. */
    private suspend fun spread(
        pool: RdmaConnectionPool,
        connections: Int,
    ): Map<Int, Int> {
        val held = List(connections) { pool.acquire() }
        held.forEach { it.release() }
        return held.groupingBy { it.connection.remoteAddress.port }.eachCount()
    }

    private fun address(port: Int) = ServerAddress.of("127.0.0.1", port)

    @Test
    fun `connections are spread as the weights say`() =
        test {
            val small = server()
            val large = server()
            val servers = AddressSupplier.of(address(small.port), address(large.port).withWeight(3))
            assertThat(spread(pool(servers, most(8)), 8)).isEqualTo(mapOf(small.port to 2, large.port to 6))
        }

    @Test
    fun `another server takes over, until the first one is back`() =
        test {
            val steady = server()
            val restarted = server()
            val pool = pool(AddressSupplier.of(address(steady.port), address(restarted.port)), most(4))
            assertThat(spread(pool, 2)).isEqualTo(mapOf(steady.port to 1, restarted.port to 1))
            restarted.closeAndAwait()
            until { pass(30.seconds).let { pool.metrics.idle() == 1 } }
            assertThat(spread(pool, 3)).isEqualTo(mapOf(steady.port to 3))
            assertThat(pool.metrics.failed()).describedAs("it is skipped after one attempt").isOne()
            server("127.0.0.1", restarted.port)
            pass(PoolOptions.DEFAULT.firstPenalty().toKotlinDuration())
            assertThat(spread(pool, 4)).isEqualTo(mapOf(steady.port to 3, restarted.port to 1))
        }

    @Test
    fun `a pool without servers says so and goes on when there are some`() =
        test {
            val discovered = AtomicReference(listOf<ServerAddress>())
            val pool = pool({ discovered.get() }, PoolOptions.DEFAULT)
            val none = failure<RdmaConnectException> { ask(pool, "nobody") }
            assertThat(none.reason()).isEqualTo(Reason.NO_SERVERS)
            discovered.set(listOf(address(server().port)))
            assertThat(ask(pool, "somebody")).isEqualTo("somebody")
        }

    @Test
    fun `the error names all servers that cannot be reached, and nothing is left`() =
        test {
            val gone = List(2) { server() }
            gone.forEach { it.closeAndAwait() }
            val servers = AddressSupplier.of(*gone.map { address(it.port) }.toTypedArray())
            val pool = pool(servers, most(2).withWarmupConnections(2))
            for (attempt in listOf<suspend () -> Unit>({ ask(pool, "nobody") }, { pool.warmup() })) {
                val error = failure<RdmaConnectException> { attempt() }
                assertThat(error.reason()).isEqualTo(Reason.UNREACHABLE)
                gone.forEach { assertThat(error).hasMessageContaining(":${it.port}") }
            }
            until { pool.metrics.active() == 0 && pool.metrics.pending() == 0 }
            assertThat(pool.metrics.idle()).isZero()
        }

    @Test
    fun `a name whose addresses change is followed`() =
        test {
            val first = server()
            server("127.0.0.2", first.port)
            val records = AtomicReference(arrayOf(InetAddress.getByName("127.0.0.1")))
            val pool = pool(AddressSupplier.dns("echo.example", first.port) { records.get() }, PoolOptions.DEFAULT)
            assertThat(pool.withConnection { it.remoteAddress.hostString }).isEqualTo("127.0.0.1")
            records.set(arrayOf(InetAddress.getByName("127.0.0.2")))
            until { pass(30.seconds).let { pool.metrics.idle() == 0 } }
            awaitConnections(0)
            assertThat(pool.withConnection { it.remoteAddress.hostString }).isEqualTo("127.0.0.2")
        }
}
