package io.rdma.samples.ktor

import io.ktor.server.application.ApplicationCallPipeline
import io.ktor.server.engine.connector
import io.ktor.server.engine.embeddedServer
import io.ktor.server.netty.Netty
import io.ktor.server.request.receiveText
import io.ktor.server.response.respondText
import io.netty.channel.MultiThreadIoEventLoopGroup
import io.rdma.netty.RdmaIoHandler
import io.rdma.netty.RdmaIoOptions
import io.rdma.netty.RdmaServerSocketChannel
import io.rdma.netty.reactor.RdmaLoopResources
import io.rdma.verbs.RdmaDevices
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import reactor.core.publisher.Mono
import reactor.netty.ByteBufFlux
import reactor.netty.http.client.HttpClient
import java.time.Duration

/** Ktor's server on event loops over RDMA. */
@Timeout(120)
class KtorTest {
    private val options = RdmaIoOptions.DEFAULT.withDevice(RdmaDevices.named("soft0"))

    @Test
    fun `a server of Ktor answers over RDMA`() {
        val loops = MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(options))
        val server =
            embeddedServer(Netty, configure = {
                connector {
                    host = "127.0.0.1"
                    port = 0
                }
                configureBootstrap = {
                    group(loops)
                    channel(RdmaServerSocketChannel::class.java)
                }
            }) {
                intercept(ApplicationCallPipeline.Call) { context.respondText(context.receiveText() + "!") }
            }.start()
        val client = RdmaLoopResources.create("ktor", 1, true, options)
        try {
            val port =
                runBlocking {
                    server.engine
                        .resolvedConnectors()
                        .single()
                        .port
                }
            for (size in listOf(1, 8192, 300_000)) {
                val text = "x".repeat(size)
                val answer =
                    HttpClient
                        .create()
                        .runOn(client)
                        .post()
                        .uri("http://127.0.0.1:$port/")
                        .send(ByteBufFlux.fromString(Mono.just(text)))
                        .responseContent()
                        .aggregate()
                        .asString()
                assertThat(answer.block(Duration.ofSeconds(60))).isEqualTo("$text!")
            }
        } finally {
            client.disposeLater(Duration.ZERO, Duration.ofSeconds(60)).block()
            server.stop(0, 10_000) // ends the event loops, too
        }
        assertThat(loops.isTerminated).isTrue()
    }
}
