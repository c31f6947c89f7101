package io.rdma.samples.prices

import io.netty.channel.MultiThreadIoEventLoopGroup
import io.rdma.netty.RdmaIoHandler
import io.rdma.netty.RdmaIoOptions
import io.rdma.verbs.RdmaDevices
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import java.util.concurrent.TimeUnit

@Timeout(120)
class PricesTest {
    @Test
    fun `each kind of call is answered`() {
        val options = RdmaIoOptions.DEFAULT.withDevice(RdmaDevices.named("soft0"))
        val loops = MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory(options))
        try {
            assertThat(demonstrate(loops)).containsExactly(
                "unary             600",
                "unary             refused: NOT_FOUND, no price of plums",
                "server streaming  the first 5 of a flow without end: [500, 501, 502, 503, 504]",
                "bidi streaming    1000 prices out, 1000 averages in, the last is 500",
            )
        } finally {
            val closed = loops.shutdownGracefully(0, 10, TimeUnit.SECONDS)
            assertThat(closed.awaitUninterruptibly(60, TimeUnit.SECONDS)).isTrue()
        }
    }
}
