package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.netty.ChannelPair.Recorder;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.QueuePairType;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that are no peers of this transport: they speak something else, another version, or the plain protocol. */
abstract class StrangerContract extends ExchangeFixture {
    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    static Stream<Arguments> strangers() {
        return Stream.of(
                Arguments.of("HTTP", text("GET / HTTP/1.1\r\n\r\n"), "does not speak this library's exchange"),
                Arguments.of(
                        "TLS",
                        new byte[] {22, 3, 1, 2, 0, 1, 0, 1, -4, 3, 3},
                        "does not speak this library's exchange. Do both sides use TLS, or neither?"),
                Arguments.of("a later version", hello(9, 9, 9), "the peer speaks version 9 of the exchange"),
                Arguments.of("later versions", hello(2, 7, 9), "the peer speaks version 7 to 9 of the exchange"),
                Arguments.of(
                        "another length",
                        ByteBuffer.allocate(8)
                                .putInt(MAGIC)
                                .putShort((short) 2)
                                .putShort((short) 47)
                                .array(),
                        "47 bytes"),
                Arguments.of("no credits", hello(2, 2, 2), "does not count credits"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strangers")
    void serverTellsAStrangerWhyAndServesTheNext(String name, byte[] said, String reason) throws Exception {
        Channel server = pair.bind(pair.server());
        try (Socket stranger = stranger(server, said)) {
            stranger.setSoTimeout((int) PATIENCE.toMillis());
            DataInputStream in = new DataInputStream(stranger.getInputStream());
            assertThat(in.readInt()).isEqualTo(MAGIC);
            assertThat(in.readUnsignedShort()).isEqualTo(2);
            assertThat(in.readByte()).isEqualTo((byte) 'N');
            assertThat(new String(in.readNBytes(in.readUnsignedShort()), StandardCharsets.UTF_8))
                    .contains(reason);
            await().atMost(PATIENCE)
                    .until(() -> log.has("INFO", "127.0.0.1:" + stranger.getLocalPort() + ": ", reason));
        }
        assertServedAlone(server);
    }

    @Test
    void serverRefusesAPeerOfThePlainProtocol() throws Exception {
        assertRefusesThePlainProtocol(ConnectMethod.TCP);
    }

    /** Connects a peer of the plain protocol. */
    final void assertRefusesThePlainProtocol(ConnectMethod method) throws Exception {
        Channel server = pair.bind(pair.server()
                .option(
                        RdmaChannelOption.CONNECTION_OPTIONS,
                        RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withConnectMethod(method)));
        ConnectionOptions plain =
                ConnectionOptions.DEFAULT.withFlowControl(FlowControl.PLAIN).withConnectMethod(method);
        try (DeviceResources resources = new DeviceResources(TestDevice.assumed(device()))) {
            assertThat(ConnectOutcome.of(resources, plain, (InetSocketAddress) server.localAddress()))
                    .failsWithin(PATIENCE)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(
                            RdmaConnectException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.REJECTED))
                    .withMessageContaining("does not count credits");
        }
        assertServedAlone(server, method);
    }

    @Test
    void clientRefusesAServerOfThePlainProtocol() throws Exception {
        ConnectionOptions plain =
                ConnectionOptions.DEFAULT.withFlowControl(FlowControl.PLAIN).withConnectMethod(ConnectMethod.TCP);
        try (DeviceResources resources = new DeviceResources(TestDevice.assumed(device()));
                RdmaListener listener = RdmaListener.bind(
                        resources,
                        plain,
                        io.rdma.connect.AdmissionLimits.DEFAULT,
                        new InetSocketAddress("127.0.0.1", 0),
                        connection -> connection.endpoint().close())) {
            assertRefused(listener.address(), Reason.FLOW_CONTROL);
        }
    }

    @Test
    void whatLosesOrFloodsIsRefusedByName() {
        RdmaSocketChannel channel = new RdmaSocketChannel();
        assertThatThrownBy(() -> channel.config()
                        .setOption(
                                RdmaChannelOption.CONNECTION_OPTIONS,
                                ConnectionOptions.DEFAULT.withFlowControl(FlowControl.PLAIN)))
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("FlowControl.PLAIN");
        assertThatThrownBy(() -> channel.config()
                        .setOption(
                                RdmaChannelOption.CONNECTION_OPTIONS,
                                ConnectionOptions.DEFAULT.withQueuePairType(QueuePairType.UC)))
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("QueuePairType.UC");
        channel.unsafe().closeForcibly();
    }

    private void assertRefused(InetSocketAddress address, Reason reason) {
        ChannelFuture connect = pair.client(new Recorder()).connect(address);
        assertThat(connect.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(connect.cause())
                .isInstanceOf(ConnectException.class)
                .cause()
                .isInstanceOfSatisfying(
                        RdmaConnectException.class, e -> assertThat(e.reason()).isEqualTo(reason));
        await().atMost(PATIENCE).until(() -> !connect.channel().isOpen());
    }

    static Stream<Arguments> strangeServers() {
        byte[] otherVersion =
                ByteBuffer.allocate(6).putInt(MAGIC).putShort((short) 9).array();
        return Stream.of(
                Arguments.of("HTTP", text("HTTP/1.1 400 Bad Request\r\n\r\n"), Reason.PROTOCOL_ERROR),
                Arguments.of("a later version", otherVersion, Reason.VERSION_MISMATCH),
                Arguments.of("half a header", Arrays.copyOf(otherVersion, 3), Reason.PROTOCOL_ERROR),
                Arguments.of("nothing", new byte[0], Reason.PROTOCOL_ERROR));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("strangeServers")
    void clientOfAStrangeServerFailsAndItsEventLoopGoesOn(String name, byte[] said, Reason reason) throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            Thread serving = Thread.ofVirtual().start(() -> answerOne(listening, said));
            assertRefused((InetSocketAddress) listening.getLocalSocketAddress(), reason);
            serving.join();
        }
        assertServedAlone(pair.bind(pair.server()));
    }

    /** Answers a client once it has introduced itself, and hangs up. */
    private static void answerOne(ServerSocket listening, byte... said) {
        try (Socket client = listening.accept()) {
            client.getInputStream().readNBytes(8 + 48);
            client.getOutputStream().write(said);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
