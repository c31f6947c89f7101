package io.rdma.coroutines

import io.rdma.connect.RdmaConnectException
import io.rdma.connect.RdmaConnectException.Reason
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows

class SoftXrcMessagesContractTest : XrcMessagesContract() {
    override val device = "soft0"
    override val host = "127.0.0.1"

    @Test
    fun `a device without them refuses each end`() =
        runBlocking<Unit> {
            val iwarp: RdmaConfiguration.() -> Unit = { device = "soft-iwarp0" }
            val refusals =
                listOf(
                    assertThrows<RdmaConnectException> { RdmaXrcReceiver.bind(configure = iwarp) },
                    assertThrows<RdmaConnectException> { RdmaXrcServer.bind(host, 0, configure = iwarp) },
                    assertThrows<RdmaConnectException> { RdmaXrcSender.connect(host, 1, iwarp) },
                )
            assertThat(refusals).allMatch { it.reason() == Reason.DEVICE && "(XRC)" in it.message!! }
        }
}
