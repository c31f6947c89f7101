package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.FlowControl;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.internal.connect.ForgingPeer;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.netty.ChannelPair.Recorder;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.ConnectOutcome;
import io.rdma.testing.HangUp;
import io.rdma.testing.TestDevice;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that are no peers of this transport, or that stop in the middle of the exchange. */
abstract class StrangerContract {
    private static final int MAGIC = 0x4a52444d; // "JRDM"
    private static final Duration SHORT = Duration.ofMillis(200);

    private final CapturedLog log = new CapturedLog(RdmaListener.class.getName());
    private ChannelPair pair;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void open() {
        pair = new ChannelPair(device());
    }

    @AfterEach
    void close() {
        log.close();
        if (pair != null) {
            pair.close();
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the begin of a client's parameters, with versions that it speaks. */
    private static byte[] hello(int header, int lowest, int highest) {
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

    private static Socket stranger(Channel server, byte... said) throws IOException {
        InetSocketAddress address = (InetSocketAddress) server.localAddress();
        Socket stranger = new Socket(address.getAddress(), address.getPort());
        stranger.getOutputStream().write(said);
        return stranger;
    }

    /** Checks that the next client is served, and that no client before it has reached the pipeline. */
    private void assertServedAlone(Channel server) throws Exception {
        assertServedAlone(server, ConnectMethod.TCP);
    }

    private void assertServedAlone(Channel server, ConnectMethod method) throws Exception {
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
    void plainProtocolIsRefusedByName() {
        RdmaSocketChannel channel = new RdmaSocketChannel();
        assertThatThrownBy(() -> channel.config()
                        .setOption(
                                RdmaChannelOption.CONNECTION_OPTIONS,
                                ConnectionOptions.DEFAULT.withFlowControl(FlowControl.PLAIN)))
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("FlowControl.PLAIN");
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

    /** Connects clients that stop in the middle of the exchange, each at another place. */
    private static List<Socket> halfOpen(Channel server) throws IOException {
        List<Socket> all = new ArrayList<>();
        for (int length : new int[] {0, 3, 6, 8, 30}) {
            Socket one = stranger(server);
            all.add(one);
            try {
                one.getOutputStream().write(hello(2, 2, 2), 0, length);
            } catch (IOException late) { // the server has hung up already
                assertThat(late).hasMessageMatching("Broken pipe|Connection reset.*");
            }
        }
        return all;
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void clientsThatStopInTheExchangeKeepNobodyFromBeingServed() throws Exception {
        Channel server = pair.bind(pair.server()
                .option(
                        RdmaChannelOption.CONNECTION_OPTIONS,
                        RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withHandshakeTimeout(PATIENCE)));
        List<Socket> halfOpen = halfOpen(server);
        try {
            assertServedAlone(server);
            assertThat(log.lines()).as("the others still have time").isEmpty();
        } finally {
            closeAll(halfOpen);
        }
    }

    @Test
    void clientsThatStopInTheExchangeAreHungUpOnInTime() throws Exception {
        Channel server = pair.bind(pair.server()
                .option(
                        RdmaChannelOption.CONNECTION_OPTIONS,
                        RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withHandshakeTimeout(SHORT)));
        List<Socket> halfOpen = halfOpen(server);
        try {
            for (Socket one : halfOpen) {
                HangUp.await(one);
            }
            await().atMost(PATIENCE).until(() -> log.has("INFO", "handshakeTimeout of " + SHORT));
        } finally {
            closeAll(halfOpen);
        }
        assertThat(pair.accepted).isEmpty();
        assertServedAlone(pair.bind(pair.server())); // by the same event loops
    }

    /** The pipeline knows a client that has not reported that it is ready, but it is never active. */
    @Test
    void clientThatNeverReportsToBeReadyIsClosed() throws Exception {
        Duration timeout = SHORT;
        while (!closesWithoutReport(timeout)) { // a slow machine needs longer for what comes before the report
            timeout = timeout.multipliedBy(2);
        }
        assertServedAlone(pair.bind(pair.server()));
    }

    /** Returns whether the client was answered in time; then its channel was closed. */
    private boolean closesWithoutReport(Duration timeout) throws Exception {
        Channel server = pair.bind(pair.server()
                .option(
                        RdmaChannelOption.CONNECTION_OPTIONS,
                        RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withHandshakeTimeout(timeout)));
        try (ForgingPeer peer = new ForgingPeer(device(), (InetSocketAddress) server.localAddress())) {
            String end;
            try {
                end = peer.introduced().answered().end();
            } catch (IOException | RdmaConnectException late) {
                assertThat(timeout).as("time-out of " + late).isLessThan(PATIENCE);
                pair.accepted.clear();
                return false;
            }
            Recorder recorder = pair.accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(recorder).isNotNull();
            assertThat(end).contains("did not report within the server's handshakeTimeout");
            await().atMost(PATIENCE).until(() -> !recorder.channel().isOpen());
            assertThat(recorder.events).isEmpty();
            return true;
        }
    }

    @Test
    void clientThatLeavesBeforeItIsReadyIsClosedAndItsEarlyWritesFail() throws Exception {
        Channel server = pair.bind(pair.server()
                .option(
                        RdmaChannelOption.CONNECTION_OPTIONS,
                        RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withHandshakeTimeout(PATIENCE)));
        Recorder recorder;
        ChannelFuture early;
        try (ForgingPeer peer = new ForgingPeer(device(), (InetSocketAddress) server.localAddress()).introduced()) {
            recorder = pair.accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(recorder).isNotNull();
            early = recorder.channel().writeAndFlush(Unpooled.copyInt(1));
            peer.answered();
        }
        assertThat(early.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(early.isSuccess()).isFalse();
        await().atMost(PATIENCE).until(() -> !recorder.channel().isOpen());
        assertThat(recorder.events).isEmpty();
        assertServedAlone(server);
    }

    @Test
    void clientOfAServerThatStopsInTheExchangeTimesOut() throws Exception {
        try (ServerSocket listening = new ServerSocket(0, 2, InetAddress.getByName("127.0.0.1"))) {
            List<Socket> accepted = new ArrayList<>();
            Thread serving = Thread.ofVirtual().start(() -> {
                try {
                    for (int clients = 0; clients < 2; clients++) {
                        Socket client = listening.accept();
                        accepted.add(client);
                        client.getOutputStream().write(new byte[] {'J', 'R', 'D'});
                    }
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            assertTimesOut(pair.client(new Recorder())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) SHORT.toMillis())
                    .connect(listening.getLocalSocketAddress()));
            assertTimesOut(pair.client(new Recorder())
                    .option(
                            RdmaChannelOption.CONNECTION_OPTIONS,
                            RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withHandshakeTimeout(SHORT))
                    .connect(listening.getLocalSocketAddress()));
            serving.join();
            closeAll(accepted);
        }
        assertServedAlone(pair.bind(pair.server()));
    }

    private static void assertTimesOut(ChannelFuture connect) {
        assertThat(connect.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(connect.cause()).isInstanceOf(ConnectTimeoutException.class);
        await().atMost(PATIENCE).until(() -> !connect.channel().isOpen());
    }
}
