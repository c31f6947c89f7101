package io.rdma.coroutines

import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.io.File
import java.net.URLClassLoader

/** Test that the front-end works on a class path without its optional libraries. */
@Timeout(180)
class OptionalLibrariesTest {
    @Test
    fun `a text is sent and received without the optional libraries`() {
        val path = System.getProperty("java.class.path").split(File.pathSeparator)
        val rest = path.filter { entry -> OPTIONAL.none { it in entry } }.map { File(it).toURI().toURL() }
        assertThat(rest).hasSizeLessThanOrEqualTo(path.size - OPTIONAL.size)
        URLClassLoader(rest.toTypedArray(), ClassLoader.getPlatformClassLoader()).use { loader ->
            for (type in listOf("kotlinx.serialization.SerialFormat", "kotlinx.io.Buffer")) {
                assertThat(runCatching { loader.loadClass(type) }.exceptionOrNull())
                    .isInstanceOf(ClassNotFoundException::class.java)
            }
            val exchange = loader.loadClass("io.rdma.coroutines.OptionalLibrariesTestKt").getMethod("exchange")
            assertThat(exchange.invoke(null)).isEqualTo("HELLO")
        }
    }

    private companion object {
        val OPTIONAL =
            listOf("kotlinx-serialization-core", "kotlinx-io-core", "micrometer-observation", "micrometer-core")
    }
}

/** Exchanges a text with a server, and returns its answer. The test above calls it by its name. */
fun exchange(): String =
    runBlocking {
        val server = RdmaServer.bind("127.0.0.1", 0) { device = "soft0" }
        val serving =
            launch {
                server.serve { connection ->
                    connection.incoming().texts().collect { connection.send(it.uppercase()) }
                }
            }
        val client = RdmaClient.connect("127.0.0.1", server.port) { device = "soft0" }
        client.send("hello")
        val answer = client.receiveText()
        client.closeAndAwait()
        server.closeAndAwait()
        serving.join()
        answer
    }
