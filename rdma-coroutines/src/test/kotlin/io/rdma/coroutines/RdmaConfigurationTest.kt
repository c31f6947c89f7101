package io.rdma.coroutines

import io.rdma.connect.AdmissionLimits
import io.rdma.connect.ConnectMethod
import io.rdma.connect.ConnectionOptions
import io.rdma.connect.FlowControl
import io.rdma.connect.PathOptions
import io.rdma.types.GidType
import io.rdma.types.QueuePairCapacity
import io.rdma.verbs.QueuePairType
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.net.InetAddress
import javax.net.ssl.SSLContext
import kotlin.time.Duration.Companion.seconds

/** Tests of the configuration blocks: each option has a setting. */
class RdmaConfigurationTest {
    private val context = SSLContext.getDefault()
    private val address = InetAddress.getLoopbackAddress()
    private val otherAddress = InetAddress.getByName("192.0.2.2")

    private val changed =
        RdmaConfiguration().apply {
            receiveBuffers(count = 16, size = 4096)
            sendBuffers(count = 17, size = 4097)
            maxMessageSize = 1 shl 20
            signalEvery = 8
            maxRdAtomic = 4
            timeout = 10
            retryCnt = 3
            rnrRetry = 5
            minRnrTimer = 11
            flowControl = FlowControl.CREDITS_REQUIRED
            connectMethod = ConnectMethod.TCP
            queuePairType = QueuePairType.UC
            tls = context
            verifyServerName = false
            verifyPeerGid = false
            ownProtectionDomain = true
            handshakeTimeout = 5.seconds
            drainTimeout = 6.seconds
            probeInterval = 7.seconds
            orderlyDisconnect = false
            queuePair {
                maxSendWr = 64
                maxReceiveWr = 65
                maxSendSge = 2
                maxReceiveSge = 3
                maxInlineData = 32
            }
            path {
                serviceLevel = 1
                trafficClass = 2
                hopLimit = 3
                flowLabel = 4
                partitionIndex = 5
                partitionKey = 6
                port = 7
                gidType = GidType.ROCE_V1
                gidAddress = address
                alternateGidAddress = otherAddress
                peerAlternateGidAddress = otherAddress
            }
            limits {
                connections = 100
                handshakes = 20
                handshakesPerAddress = 5
            }
        }

    @Test
    fun `each option has a setting, which changes it alone`() {
        for ((now, before) in listOf(
            changed.options to ConnectionOptions.DEFAULT,
            changed.options.queuePair() to QueuePairCapacity.DEFAULT,
            changed.limits to AdmissionLimits.DEFAULT,
        )) {
            for (option in now.javaClass.recordComponents) {
                assertThat(
                    option.accessor.invoke(now),
                ).describedAs("$option").isNotEqualTo(option.accessor.invoke(before))
            }
        }
        assertThat(changed.options).isEqualTo(
            ConnectionOptions(
                QueuePairCapacity(64, 65, 2, 3, 32),
                16,
                4096,
                1 shl 20,
                17,
                4097,
                8,
                4,
                10,
                3,
                5,
                11,
                FlowControl.CREDITS_REQUIRED,
                ConnectMethod.TCP,
                context,
                false,
                false,
                true,
                java.time.Duration.ofSeconds(5),
                java.time.Duration.ofSeconds(6),
                java.time.Duration.ofSeconds(7),
                false,
                PathOptions(1, 2, 3, 4, 6, null, 7, GidType.ROCE_V1, address, otherAddress, otherAddress),
                QueuePairType.UC,
            ),
        )
        assertThat(changed.limits).isEqualTo(AdmissionLimits(100, 20, 5))
    }

    @Test
    fun `a setting tells its value`() {
        with(changed) {
            assertThat(listOf(signalEvery, maxRdAtomic, timeout, retryCnt, rnrRetry, minRnrTimer, maxMessageSize))
                .containsExactly(8, 4, 10, 3, 5, 11, 1 shl 20)
            assertThat(listOf(verifyServerName, verifyPeerGid, ownProtectionDomain, orderlyDisconnect))
                .containsExactly(false, false, true, false)
            assertThat(flowControl).isEqualTo(FlowControl.CREDITS_REQUIRED)
            assertThat(queuePairType).isEqualTo(QueuePairType.UC)
            queuePair {
                assertThat(listOf(maxSendWr, maxReceiveWr, maxSendSge, maxReceiveSge, maxInlineData))
                    .containsExactly(64, 65, 2, 3, 32)
            }
            limits { assertThat(listOf(connections, handshakes, handshakesPerAddress)).containsExactly(100, 20, 5) }
        }
    }
}
