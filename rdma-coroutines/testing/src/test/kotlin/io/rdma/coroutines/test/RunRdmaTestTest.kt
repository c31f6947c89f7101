package io.rdma.coroutines.test

import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.send
import io.rdma.coroutines.texts
import io.rdma.soft.LinkFaults
import io.rdma.soft.SoftNetwork
import io.rdma.types.AccessFlag
import io.rdma.verbs.MemoryRegion
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.launch
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.Test
import kotlin.time.Duration.Companion.milliseconds

private suspend fun echo(connection: RdmaConnection) = connection.send(connection.incoming().texts())

/** Shown in the documentation of [runRdmaTest]. */
internal fun aServiceIsTested(): Unit =
    runRdmaTest {
        val server = serve { connection -> connection.send(connection.incoming().texts()) }
        val connection = connect(server)
        network.setFaults(LinkFaults.NONE.withLoss(0.1))
        connection.send("hello")
        assertThat(connection.receiveText()).isEqualTo("hello")
    }

class RunRdmaTestTest {
    @Test
    fun `a service is tested over a link that loses packets`() = aServiceIsTested()

    @Test
    fun `each test has a device of its own, and nothing is open behind it`() {
        val networks = mutableListOf<SoftNetwork>()
        repeat(2) {
            runRdmaTest {
                networks += network
                connect(serve { echo(it) }).send("hello")
                assertThat(network.openObjects()).containsKey("ibv_qp")
            }
        }
        assertThat(networks.map { it.device() }).doesNotHaveDuplicates().doesNotContain("soft0")
        assertThat(networks.map { it.openObjects() }).allMatch { it.isEmpty() }
    }

    @Test
    fun `a test that leaves a region open fails`() {
        lateinit var kept: MemoryRegion
        assertThatThrownBy {
            runRdmaTest { kept = resources.domain().allocate(64, setOf(AccessFlag.LOCAL_WRITE)) }
        }.isInstanceOf(AssertionError::class.java).hasMessageContaining("1 ibv_mr")
        kept.close()
    }

    @Test
    fun `a test that hangs is cancelled, and what it made is closed`() {
        val peer = CompletableDeferred<RdmaConnection>()
        assertThatThrownBy {
            runRdmaTest(timeout = 500.milliseconds) {
                connect(
                    serve {
                        peer.complete(it)
                        awaitCancellation()
                    },
                )
                peer.await()
                awaitCancellation()
            }
        }.isInstanceOf(TimeoutCancellationException::class.java)
    }

    @Test
    fun `what a test launched ends before its connections are closed`() {
        val answers = mutableListOf<String>()
        runRdmaTest {
            val connection = connect(serve { echo(it) })
            launch {
                repeat(100) {
                    connection.send("$it")
                    answers += connection.receiveText()
                }
            }
        }
        assertThat(answers).isEqualTo(List(100) { "$it" })
    }

    @Test
    fun `the failure of what a test launched is thrown`() {
        assertThatThrownBy {
            runRdmaTest {
                connect(serve { echo(it) })
                launch { error("the coroutine's own failure") }
            }
        }.isInstanceOf(IllegalStateException::class.java).hasMessage("the coroutine's own failure")
    }

    @Test
    fun `the failure of a test is thrown`() {
        assertThatThrownBy {
            runRdmaTest {
                connect(serve { echo(it) })
                check(false) { "the test's own failure" }
            }
        }.isInstanceOf(IllegalStateException::class.java).hasMessage("the test's own failure")
    }
}
