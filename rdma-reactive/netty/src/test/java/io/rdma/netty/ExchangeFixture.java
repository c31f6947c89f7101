package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.rdma.connect.ConnectMethod;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.netty.ChannelPair.Recorder;
import io.rdma.testing.CapturedLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;

/** Servers, clients, and bytes of an exchange that are written by hand. */
abstract class ExchangeFixture extends ChannelFixture {
    static final int MAGIC = 0x4a52444d; // "JRDM"

    final CapturedLog log = new CapturedLog(RdmaListener.class.getName());

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** Returns the begin of a client's parameters, with versions that it speaks. */
    static byte[] hello(int header, int lowest, int highest) {
        return ByteBuffer.allocate(8 + 48)
                .putInt(MAGIC)
                .putShort((short) header)
                .putShort((short) 48)
                .putInt(77) // queue pair number
                .put(8 + 26, (byte) 3) // MTU
                .put(8 + 30, (byte) lowest)
                .put(8 + 31, (byte) highest)
                .putInt(8 + 32, 16)
                .putInt(8 + 36, 8192)
                .putInt(8 + 40, 8192)
                .array();
    }

    static Socket stranger(Channel server, byte... said) throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Socket stranger = new Socket(address.getAddress(), address.getPort());
        stranger.getOutputStream().write(said);
        return stranger;
    }

    /** Checks that the next client is served, and that no client before it has reached the pipeline. */
    final void assertServedAlone(Channel server) throws Exception {
        assertServedAlone(server, ConnectMethod.TCP);
    }

    final void assertServedAlone(Channel server, ConnectMethod method) throws Exception {
        assertThat(pair.accepted).isEmpty();
        Channel client = ChannelPair.done(pair.client(new Recorder())
                .option(
                        RdmaChannelOption.CONNECTION_OPTIONS,
                        RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withConnectMethod(method))
                .connect(server.localAddress()));
        Recorder peer = pair.peer();
        await(client.writeAndFlush(Unpooled.copyInt(7)));
        await().atMost(PATIENCE).until(() -> peer.received().length == Integer.BYTES);
        assertThat(pair.accepted).isEmpty();
    }
}
