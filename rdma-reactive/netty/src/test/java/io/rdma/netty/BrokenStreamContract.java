package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.rdma.internal.connect.ForgingPeer;
import io.rdma.netty.ChannelPair.Recorder;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Peers that are connected and send what no channel sends: their channel ends with an error, and nothing else does. */
abstract class BrokenStreamContract extends ChannelFixture {
    private Channel server;

    @BeforeEach
    void bind() {
        server = pair.bind(pair.server().childOption(ChannelOption.ALLOW_HALF_CLOSURE, true));
    }

    private ForgingPeer peer(Channel of) throws Exception {
        return new ForgingPeer(device(), (InetSocketAddress) of.localAddress())
                .introduced()
                .answered()
                .ready();
    }

    private static Arguments forgery(String name, Consumer<ForgingPeer> sending, String message) {
        return Arguments.of(name, sending, message);
    }

    static Stream<Arguments> forgeries() {
        String frame = "broke the message protocol: it sent a frame of an unknown type or with an invalid length";
        return Stream.of(
                forgery("an unknown type", peer -> peer.send(9), frame),
                forgery("half a frame", peer -> peer.sendRaw(new byte[5]), frame),
                forgery("no frame", peer -> peer.sendRaw(new byte[0]), frame),
                forgery("credits with bytes", peer -> peer.send(1, new byte[1]), frame),
                forgery("credits that go back", peer -> peer.send(ForgingPeer.DATA, 1, new byte[1]), frame),
                forgery("more credits than receives", peer -> peer.send(ForgingPeer.DATA, 1 << 20, new byte[1]), frame),
                forgery("half an announcement", peer -> peer.send(ForgingPeer.ANNOUNCEMENT, new byte[7]), frame),
                forgery(
                        "a large message",
                        peer -> peer.send(
                                ForgingPeer.ANNOUNCEMENT,
                                java.nio.ByteBuffer.allocate(20)
                                        .putLong(0, 4096)
                                        .putLong(8, 1 << 20)
                                        .array()),
                        "it announced a message of 1048576 bytes instead of 1 to 8192"),
                forgery("a batch of none", peer -> peer.sendBatch(0), frame),
                forgery("a batch without lengths", peer -> peer.sendBatch(2, new byte[4]), frame),
                forgery("a batch with a gap", peer -> peer.sendBatch(1, new byte[] {1, 0, 0, 0, 0, 0, 0, 0}), frame),
                forgery(
                        "a batch longer than its SEND",
                        peer -> peer.sendBatch(1, new byte[] {1, 0, 0, 0, 0, 0, 1, 0}),
                        frame),
                forgery(
                        "a batch with a negative length",
                        peer -> peer.sendBatch(2, new byte[] {1, 2, 3, 4, -1, -1, -1, -8, 0, 0, 0, 8}),
                        frame),
                forgery("immediate data", ForgingPeer::sendWithImmediate, "a message with immediate data"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("forgeries")
    void forgedMessageEndsItsChannelAlone(String name, Consumer<ForgingPeer> sending, String message) throws Exception {
        RdmaSocketChannel other = pair.connect(server, new Recorder());
        Recorder served = pair.peer();
        try (ForgingPeer peer = peer(server)) {
            Recorder recorder = pair.peer();
            peer.send(ForgingPeer.DATA, (byte) 1);
            await().atMost(PATIENCE).until(() -> recorder.received().length == 1);
            sending.accept(peer);
            assertBroken(recorder, message);
        }
        await(other.writeAndFlush(Unpooled.copyInt(7)));
        await().atMost(PATIENCE).until(() -> served.received().length == Integer.BYTES);
        pair.connect(server, new Recorder());
        pair.peer();
    }

    /** Sends two bytes as two messages of one SEND, as docs/internals/protocol.md has it. */
    @Test
    void batchWrittenByHandArrives() throws Exception {
        try (ForgingPeer peer = peer(server)) {
            Recorder recorder = pair.peer();
            peer.sendBatch(2, new byte[] {1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1});
            peer.send(ForgingPeer.DATA, (byte) 3);
            await().atMost(PATIENCE).until(() -> recorder.received().length == 3);
            assertThat(recorder.received()).containsExactly(1, 2, 3);
        }
    }

    private static void assertBroken(Recorder recorder, String message) throws InterruptedException {
        assertThat(recorder.next())
                .isInstanceOfSatisfying(
                        ProtocolException.class, e -> assertThat(e).hasMessageContaining(message));
        assertThat(recorder.next()).isEqualTo("inactive");
        await().atMost(PATIENCE).until(() -> !recorder.channel().isOpen());
    }

    static Stream<Arguments> behindTheEnd() {
        return Stream.of(
                forgery(
                        "bytes",
                        peer -> peer.send(ForgingPeer.DATA, new byte[3]),
                        "a message of 3 bytes behind the end"),
                forgery("another end", peer -> peer.send(ForgingPeer.DATA), "a message of 0 bytes behind the end"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("behindTheEnd")
    void nothingFollowsTheEndOfAStream(String name, Consumer<ForgingPeer> sending, String message) throws Exception {
        try (ForgingPeer peer = peer(server)) {
            Recorder recorder = pair.peer();
            peer.send(ForgingPeer.DATA);
            sending.accept(peer); // perhaps both are there before the event loop looks
            assertThat(recorder.next()).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
            assertThat(recorder.next()).isEqualTo(ChannelInputShutdownReadComplete.INSTANCE);
            assertBroken(recorder, message);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("behindTheEnd")
    void whatFollowsLaterIsNoticedAsWell(String name, Consumer<ForgingPeer> sending, String message) throws Exception {
        try (ForgingPeer peer = peer(server)) {
            Recorder recorder = pair.peer();
            peer.send(ForgingPeer.DATA);
            assertThat(recorder.next()).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
            assertThat(recorder.next()).isEqualTo(ChannelInputShutdownReadComplete.INSTANCE);
            await().atMost(PATIENCE).until(() -> recorder.channel().isInputShutdown());
            sending.accept(peer);
            assertBroken(recorder, message);
        }
    }

    /** Without half-closure the end of the stream closes the channel; what follows is dropped. */
    @Test
    void bytesBehindTheEndOfAClosedChannelAreDropped() throws Exception {
        Channel closing = pair.bind(pair.server());
        try (ForgingPeer peer = peer(closing)) {
            Recorder recorder = pair.peer();
            peer.send(ForgingPeer.DATA);
            peer.send(ForgingPeer.DATA, new byte[3]);
            assertThat(recorder.next()).isEqualTo("inactive");
            assertThat(recorder.received()).isEmpty();
        }
        pair.connect(closing, new Recorder());
        pair.peer();
    }

    /** A channel that reads no more notices the end of its connection all the same. */
    @Test
    void halfClosedChannelOfALostPeerIsClosed() throws Exception {
        Recorder recorder;
        try (ForgingPeer peer = peer(server)) {
            recorder = pair.peer();
            peer.send(ForgingPeer.DATA);
            assertThat(recorder.next()).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
            assertThat(recorder.next()).isEqualTo(ChannelInputShutdownReadComplete.INSTANCE);
        }
        assertThat(recorder.next()).asString().contains("Connection reset by peer");
        assertThat(recorder.next()).isEqualTo("inactive");
    }

    @Test
    void halfClosedChannelOfAPeerThatClosesIsClosed() throws Exception {
        RdmaSocketChannel channel = pair.connect(server, new Recorder());
        Recorder recorder = pair.peer();
        await(channel.shutdownOutput());
        assertThat(recorder.next()).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(recorder.next()).isEqualTo(ChannelInputShutdownReadComplete.INSTANCE);
        await(channel.close());
        assertThat(recorder.next()).isEqualTo("inactive");
    }
}
