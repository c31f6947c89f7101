package io.rdma.coroutines.spring.boot

import io.rdma.connect.RdmaResources
import io.rdma.coroutines.RdmaClient
import io.rdma.coroutines.RdmaConnection
import io.rdma.coroutines.send
import io.rdma.coroutines.texts
import io.rdma.spring.boot.RdmaAutoConfiguration
import io.rdma.spring.boot.RdmaConnectionDetails
import io.rdma.spring.boot.RdmaConnectionHandler
import io.rdma.testing.CapturedLog
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import reactor.core.publisher.Mono
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import java.util.function.Supplier
import kotlin.time.Duration.Companion.minutes

/** Tests of the beans that a Kotlin application gets from properties `rdma.*`. */
class RdmaCoroutinesAutoConfigurationTest {
    private val contexts =
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(RdmaAutoConfiguration::class.java, RdmaCoroutinesAutoConfiguration::class.java),
            ).withPropertyValues("rdma.device=soft0", "rdma.server.host=127.0.0.1", "rdma.server.port=0")

    /** Configuration of an application. */
    @Configuration(proxyBeanMethods = false)
    class EchoConfiguration {
        @Bean
        fun echo() =
            RdmaCoroutineHandler { connection ->
                connection.send(connection.incoming().texts())
            }
    }

    private fun patiently(block: suspend () -> Unit) = runBlocking { withTimeout(1.minutes) { block() } }

    private val AssertableApplicationContext.port
        get() = getBean(RdmaCoroutineServerLifecycle::class.java).address().port

    private suspend fun AssertableApplicationContext.connect(): RdmaConnection =
        RdmaClient.connect("127.0.0.1", port, getBean(RdmaCoroutineClient::class.java).configure)

    @Test
    fun `without a handler there is a client but nothing listens`() {
        contexts.withPropertyValues("rdma.client.host=elsewhere", "rdma.client.port=4711").run { context ->
            assertThat(context).hasNotFailed().doesNotHaveBean(RdmaCoroutineServerLifecycle::class.java)
            val client = context.getBean(RdmaCoroutineClient::class.java)
            assertThat(client.host to client.port).isEqualTo("elsewhere" to 4711)
        }
    }

    @Test
    fun `a handler that suspends is served from start to stop`() {
        var lifecycle: RdmaCoroutineServerLifecycle? = null
        var left: RdmaConnection? = null
        contexts
            .withUserConfiguration(EchoConfiguration::class.java)
            .withPropertyValues("rdma.server.shutdown-timeout=0s")
            .run { context ->
                lifecycle = context.getBean(RdmaCoroutineServerLifecycle::class.java)
                patiently {
                    val connection = context.connect()
                    left = connection
                    connection.send("hello")
                    assertThat(connection.receiveText()).isEqualTo("hello")
                }
            }
        assertThat(lifecycle!!.isRunning).isFalse()
        patiently { left!!.awaitClosed() } // the context closed it
    }

    @Test
    fun `the client connects to the address of the properties`() {
        contexts.withUserConfiguration(EchoConfiguration::class.java).run { server ->
            contexts
                .withPropertyValues("rdma.client.host=127.0.0.1", "rdma.client.port=${server.port}")
                .run { context ->
                    patiently {
                        val client = context.getBean(RdmaCoroutineClient::class.java)
                        client.connect().use {
                            it.send("hello")
                            assertThat(it.receiveText()).isEqualTo("hello")
                        }
                        val answer =
                            client.reconnect({ _, _ -> false }) {
                                it.send("again")
                                it.receiveText()
                            }
                        assertThat(answer).isEqualTo("again")
                    }
                }
        }
    }

    @Test
    fun `a stop waits for a handler`() {
        val handled = CompletableDeferred<Unit>()
        val goOn = CompletableDeferred<Unit>()
        var ended = "cancelled"
        contexts
            .withBean(
                RdmaCoroutineHandler::class.java,
                Supplier {
                    RdmaCoroutineHandler {
                        handled.complete(Unit)
                        goOn.await()
                        ended = "by itself"
                    }
                },
            ).withPropertyValues("rdma.server.shutdown-timeout=60s")
            .run { context ->
                patiently {
                    context.connect()
                    handled.await()
                }
                val lifecycle = context.getBean(RdmaCoroutineServerLifecycle::class.java)
                val stopped = CompletableDeferred<Unit>()
                lifecycle.stop { stopped.complete(Unit) }
                assertThat(stopped.isCompleted).isFalse()
                goOn.complete(Unit)
                patiently { stopped.await() }
                assertThat(ended).isEqualTo("by itself")
            }
    }

    @Test
    fun `a stop cancels a handler whose time is up`() {
        val handled = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()
        contexts
            .withBean(
                RdmaCoroutineHandler::class.java,
                Supplier {
                    RdmaCoroutineHandler {
                        handled.complete(Unit)
                        try {
                            awaitCancellation()
                        } finally {
                            cancelled.complete(Unit)
                        }
                    }
                },
            ).withPropertyValues("rdma.server.shutdown-timeout=10ms")
            .run { context ->
                patiently {
                    context.connect()
                    handled.await()
                }
            }
        patiently { cancelled.await() } // the stop waited for it only as long as its time-out
    }

    @Test
    fun `a stop goes on without handlers that block all threads`() {
        val threads = maxOf(2, Runtime.getRuntime().availableProcessors()) // those of Dispatchers.Default
        val handled = CountDownLatch(threads)
        val goOn = CountDownLatch(1)
        val ended = CountDownLatch(threads)
        CapturedLog(RdmaCoroutineServerLifecycle::class.java.name).use { log ->
            contexts
                .withBean(
                    RdmaCoroutineHandler::class.java,
                    Supplier {
                        RdmaCoroutineHandler {
                            handled.countDown()
                            goOn.await()
                            ended.countDown()
                        }
                    },
                ).withPropertyValues("rdma.server.shutdown-timeout=10ms")
                .run { context ->
                    try {
                        runBlocking { repeat(threads) { context.connect() } }
                        assertThat(handled.await(1, TimeUnit.MINUTES)).isTrue()
                        val lifecycle = context.getBean(RdmaCoroutineServerLifecycle::class.java)
                        val stopped = CountDownLatch(1)
                        lifecycle.stop { stopped.countDown() }
                        assertThat(stopped.await(1, TimeUnit.MINUTES)).isTrue()
                        assertThat(ended.count).isEqualTo(threads.toLong())
                        assertThat(log.has("WARNING handlers that have not ended 10ms", ": $threads. The stop goes on"))
                            .isTrue()
                    } finally {
                        goOn.countDown()
                    }
                }
        }
        assertThat(ended.await(1, TimeUnit.MINUTES)).isTrue()
    }

    @Test
    fun `beans of the application are left alone if RDMA is disabled`() {
        contexts
            .withUserConfiguration(EchoConfiguration::class.java)
            .withBean(
                RdmaResources::class.java,
                Supplier { RdmaResources.open(RdmaDevices.named("soft0")) },
            ).withPropertyValues("rdma.enabled=false")
            .run { context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(RdmaCoroutineClient::class.java)
                    .doesNotHaveBean(RdmaCoroutineServerLifecycle::class.java)
            }
    }

    @Test
    fun `a build ahead of time leaves it to the start whether RDMA is enabled`() {
        val building = contexts.withSystemProperties("spring.aot.processing=true")
        building.withPropertyValues("rdma.enabled=false").run { context ->
            assertThat(context).hasSingleBean(RdmaCoroutineClient::class.java)
        }
        // Every condition is met, as at the start of an application that was processed.
        val processed = building.withSystemProperties("spring.aot.enabled=true")
        processed.withUserConfiguration(EchoConfiguration::class.java).run { context ->
            assertThat(context)
                .hasSingleBean(RdmaCoroutineClient::class.java)
                .hasSingleBean(RdmaCoroutineServerLifecycle::class.java)
        }
        processed
            .withUserConfiguration(EchoConfiguration::class.java)
            .withPropertyValues("rdma.enabled=false")
            .run { context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(RdmaCoroutineClient::class.java)
                    .doesNotHaveBean(RdmaCoroutineServerLifecycle::class.java)
            }
    }

    /** Details of a bean of the application. */
    class Portless : RdmaConnectionDetails {
        override fun getHost() = "localhost"

        override fun getPort() = 0
    }

    @Test
    fun `a client needs the port of a server`() {
        contexts
            .withBean(RdmaConnectionDetails::class.java, Supplier { Portless() })
            .withBean(
                io.rdma.reactive.RdmaClient::class.java, // the other client would be refused, too
                Supplier {
                    io.rdma.reactive.RdmaClient
                        .create()
                },
            ).run { context ->
                assertThat(context)
                    .getFailure()
                    .hasStackTraceContaining("getPort() of ${Portless::class.java.name}")
                    .hasStackTraceContaining("from 1 to 65535: 0")
            }
    }

    @Test
    fun `customizers change the configuration last, and the log says so`() {
        CapturedLog("io.rdma.spring.boot.ListeningReport").use { log ->
            contexts
                .withUserConfiguration(EchoConfiguration::class.java)
                .withBean(
                    RdmaConfigurationCustomizer::class.java,
                    Supplier {
                        RdmaConfigurationCustomizer {
                            assertThat(it.options.receiveBuffers()).isEqualTo(77)
                            it.connectMethod = io.rdma.connect.ConnectMethod.TCP
                        }
                    },
                ).withPropertyValues("rdma.connection.receive-buffers=77")
                .run { context ->
                    assertThat(log.has("INFO rdma.server listens at 127.0.0.1:${context.port} on soft0", "by TCP"))
                        .isTrue()
                    patiently { context.connect().close() }
                }
        }
    }

    @Test
    fun `two handlers of one address are refused`() {
        contexts
            .withUserConfiguration(EchoConfiguration::class.java)
            .withBean(RdmaConnectionHandler::class.java, Supplier { RdmaConnectionHandler { Mono.empty() } })
            .run { context ->
                assertThat(context).getFailure().hasStackTraceContaining("keep one of the beans")
            }
    }

    @Test
    fun `without a device there are no beans`() {
        contexts
            .withUserConfiguration(EchoConfiguration::class.java)
            .withPropertyValues("rdma.device=mlx5_77")
            .run { context ->
                assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(RdmaCoroutineClient::class.java)
                    .doesNotHaveBean(RdmaCoroutineServerLifecycle::class.java)
            }
    }
}
