package io.rdma.coroutines

import io.rdma.testing.JavaProcess
import org.junit.jupiter.api.Test

/**
 * Test in which BlockHound watches the loop threads while coroutines use them. BlockHound rewrites the JDK, so it runs
 * in a process of its own.
 */
class NothingBlocksTest {
    @Test
    fun `the library does not block the loop`() {
        JavaProcess(
            listOf(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+AllowRedefinitionToAddDeleteMethods",
                "-XX:+EnableDynamicAgentLoading",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-classpath",
                JavaProcess.classPath(),
                "io.rdma.coroutines.UnderBlockHoundKt",
            ),
        ).use {
            it.await("nothing blocked")
            it.ended(0)
        }
    }
}
