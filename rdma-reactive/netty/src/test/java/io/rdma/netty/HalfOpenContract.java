package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.rdma.connect.RdmaConnectException;
import io.rdma.internal.connect.ForgingPeer;
import io.rdma.netty.ChannelPair.Recorder;
import io.rdma.testing.HangUp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Peers that stop in the middle of the exchange. */
abstract class HalfOpenContract extends ExchangeFixture {
    private static final Duration SHORT = Duration.ofMillis(200);

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

    private Channel serverWithTimeout(Duration handshake) {
        return pair.bind(pair.server()
                .option(
                        RdmaChannelOption.CONNECTION_OPTIONS,
                        RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withHandshakeTimeout(handshake)));
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @Test
    void clientsThatStopInTheExchangeKeepNobodyFromBeingServed() throws Exception {
        Channel server = serverWithTimeout(PATIENCE);
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
        Channel server = serverWithTimeout(SHORT);
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
        Channel server = serverWithTimeout(timeout);
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
        Channel server = serverWithTimeout(PATIENCE);
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
