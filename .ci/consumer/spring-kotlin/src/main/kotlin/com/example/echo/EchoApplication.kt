package com.example.echo

import io.rdma.coroutines.send
import io.rdma.coroutines.spring.boot.RdmaCoroutineClient
import io.rdma.coroutines.spring.boot.RdmaCoroutineHandler
import io.rdma.coroutines.texts
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.springframework.boot.ApplicationArguments
import org.springframework.boot.ApplicationRunner
import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication
import org.springframework.context.annotation.Bean
import org.springframework.stereotype.Component
import kotlin.time.Duration.Companion.minutes

/** Application that sends its own server a message, and ends. */
@SpringBootApplication(proxyBeanMethods = false)
class EchoApplication {
    @Bean
    fun echo() = RdmaCoroutineHandler { connection -> connection.send(connection.incoming().texts()) }
}

/** Client, which asks once the application has started. */
@Component
class Question(
    private val client: RdmaCoroutineClient,
) : ApplicationRunner {
    override fun run(arguments: ApplicationArguments) =
        runBlocking {
            withTimeout(1.minutes) {
                client.connect().use { connection ->
                    connection.send("hello")
                    println(connection.receiveText())
                }
            }
        }
}

fun main(arguments: Array<String>) {
    runApplication<EchoApplication>(*arguments).close()
}
