package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static io.rdma.netty.RdmaChannelOption.ADMISSION_LIMITS;
import static io.rdma.netty.RdmaChannelOption.CONNECTION_OPTIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectionOptions;
import io.rdma.netty.ChannelPair.Recorder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Options that are set where, or when, they would have no effect. Each is refused by name and with the remedy. */
abstract class ChannelOptionContract extends ChannelFixture {
    private static final ConnectionOptions SMALL =
            RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS.withReceiveBuffers(16, 4096);

    /** Checks that a channel refuses an option, and keeps the value that it has. */
    private static <T> void assertRefused(Channel channel, ChannelOption<T> option, T value, String... reasons) {
        T before = channel.config().getOption(option);
        assertThatThrownBy(() -> channel.config().setOption(option, value))
                .isInstanceOf(ChannelException.class)
                .hasMessageStartingWith(option.name() + " cannot be set ")
                .hasMessageContainingAll(reasons);
        assertThat(channel.config().getOption(option)).isEqualTo(before);
    }

    @Test
    void acceptedConnectionHasTheServersOptions() throws Exception {
        pair.connect(pair.bind(pair.server().option(CONNECTION_OPTIONS, SMALL)), new Recorder());
        RdmaSocketChannel accepted = pair.peer().channel();
        assertThat(accepted.config().getOption(CONNECTION_OPTIONS)).isEqualTo(SMALL);
        assertThat(accepted.config().getReceiveBufferSize()).isEqualTo(16 * 4096);
        assertRefused(
                accepted,
                CONNECTION_OPTIONS,
                RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS,
                "accepted connection",
                "ServerBootstrap.option(..) instead of childOption(..)");
        assertRefused(accepted, ADMISSION_LIMITS, AdmissionLimits.DEFAULT, "ServerBootstrap.option(..)");
    }

    /** Netty gives the client up, and logs the reason at the server. */
    @Test
    void serverWithAChildOptionOfConnectionsLogsTheReason() {
        Logger logger = (Logger) LoggerFactory.getLogger(ServerBootstrap.class);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
        logger.setLevel(Level.WARN);
        try {
            Channel server = pair.bind(pair.server().childOption(CONNECTION_OPTIONS, SMALL));
            ChannelFuture connect = pair.client(new Recorder()).connect(server.localAddress());
            assertThat(connect.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
            assertThat(connect.cause()).isInstanceOf(ConnectException.class);
        } finally {
            logger.detachAppender(log);
            logger.setAdditive(true);
            logger.setLevel(null); // that of its parent
        }
        assertThat(log.list)
                .filteredOn(entry -> entry.getThrowableProxy() != null)
                .extracting(entry -> entry.getThrowableProxy().getMessage())
                .anyMatch(reason -> reason.contains("ServerBootstrap.option(..) instead of childOption(..)"));
    }

    @Test
    void clientWithAServersLimitsFailsToConnectWithTheReason() {
        Channel server = pair.bind(pair.server());
        ChannelFuture connect = pair.client(new Recorder())
                .option(ADMISSION_LIMITS, AdmissionLimits.DEFAULT)
                .connect(server.localAddress());
        assertThat(connect.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(connect.cause())
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("ADMISSION_LIMITS cannot be set on a connection");
    }

    @Test
    void clientTakesOptionsOfItsConnectionBeforeItConnects() throws IOException {
        try (ServerSocket silent = new ServerSocket(0)) {
            ChannelFuture connecting = pair.client(new Recorder())
                    .option(CONNECTION_OPTIONS, SMALL)
                    .connect(new InetSocketAddress("127.0.0.1", silent.getLocalPort()));
            Channel unconnected = connecting.channel();
            // The bootstrap connects when the event loop has registered the channel.
            await().atMost(PATIENCE).untilAsserted(() -> assertRefusedAfterConnect(unconnected));
            await(unconnected.close());
        }
        RdmaSocketChannel connected = pair.connect(pair.bind(pair.server()), new Recorder());
        assertRefusedAfterConnect(connected);
        assertThat(connected.config().setOption(ChannelOption.SO_LINGER, 0))
                .as("has an effect until the close")
                .isTrue();
    }

    private static void assertRefusedAfterConnect(Channel channel) {
        assertRefused(
                channel,
                CONNECTION_OPTIONS,
                SMALL.withReceiveBuffers(32, 4096),
                "connected or connecting",
                "before it connects, by Bootstrap.option(..)");
    }

    @Test
    void serverTakesOptionsBeforeItBinds() {
        Channel server = pair.bind(pair.server()
                .option(CONNECTION_OPTIONS, SMALL)
                .option(ADMISSION_LIMITS, AdmissionLimits.DEFAULT.withConnections(3)));
        String remedy = "before it binds, by ServerBootstrap.option(..)";
        assertRefused(server, CONNECTION_OPTIONS, RdmaChannelOption.DEFAULT_CONNECTION_OPTIONS, remedy);
        assertRefused(server, ADMISSION_LIMITS, AdmissionLimits.DEFAULT, remedy);
        assertRefused(server, ChannelOption.SO_BACKLOG, 7, remedy);
        assertThat(server.config().getOption(ADMISSION_LIMITS).connections()).isEqualTo(3);
    }

    /** A port in use: the program tries another one, with other options. */
    @Test
    void serverWhoseBindFailedTakesThemAgain() {
        Channel first = pair.bind(pair.server());
        RdmaServerSocketChannel second = new RdmaServerSocketChannel();
        await(pair.group.register(second));
        ChannelFuture taken = second.bind(first.localAddress());
        assertThat(taken.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(taken.cause()).isNotNull();
        assertThat(second.config().setOption(CONNECTION_OPTIONS, SMALL)).isTrue();
        await(second.bind(new InetSocketAddress("127.0.0.1", 0)));
        assertThat(second.config().getReceiveBufferSize()).isEqualTo(16 * 4096);
    }
}
