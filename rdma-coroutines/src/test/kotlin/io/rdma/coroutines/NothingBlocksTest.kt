package io.rdma.coroutines

import io.rdma.testing.JavaProcess
import org.junit.jupiter.api.Test

/**
 * BlockHound watches the loops' threads while coroutines use them. It rewrites the JDK, so it does in a process of its
 * own.
 */
class NothingBlocksTest {
    @Test
    fun `nothing of ours blocks the loop`() {
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
