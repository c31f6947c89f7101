package io.rdma.netty.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rdma.netty.RdmaIoHandler;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.RdmaDevice;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/** Base of tests of gRPC on a device: a server of {@link BytesService}, and channels to it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
abstract class GrpcSuite {
    final BytesService service = new BytesService();
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final List<Server> servers = new ArrayList<>();
    private @Nullable EventLoopGroup servings;
    private @Nullable EventLoopGroup connections;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeAll
    void open() {
        RdmaDevice device = TestDevice.assumed(device());
        servings = group("grpc-server", device);
        connections = group("grpc-client", device);
    }

    private static EventLoopGroup group(String name, RdmaDevice device) {
        return new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory(name, true),
                RdmaIoHandler.newFactory(RdmaIoOptions.DEFAULT.withDevice(device)));
    }

    @BeforeEach
    void reset() {
        service.reset();
    }

    @AfterEach
    void end() throws InterruptedException {
        for (ManagedChannel channel : channels) {
            assertThat(channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS))
                    .isTrue();
        }
        channels.clear();
        for (Server server : servers) {
            assertThat(server.shutdownNow().awaitTermination(60, TimeUnit.SECONDS))
                    .isTrue();
        }
        servers.clear();
    }

    @AfterAll
    void close() {
        close(connections);
        close(servings);
    }

    private static void close(@Nullable EventLoopGroup group) {
        if (group != null) {
            assertThat(group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(60, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** Returns the event loop of the servers. */
    EventLoopGroup servings() {
        assertThat(servings).isNotNull();
        return servings;
    }

    /** Returns the event loop of the channels. */
    EventLoopGroup connections() {
        assertThat(connections).isNotNull();
        return connections;
    }

    /** Returns a builder of a server on a free port, with the service. */
    NettyServerBuilder serverBuilder(int port) {
        return RdmaGrpc.server(
                        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", port)), servings(), servings())
                .addService(service.definition());
    }

    /** Starts a server, which the end of the test stops. */
    Server start(NettyServerBuilder builder) throws IOException {
        Server server = builder.build().start();
        servers.add(server);
        return server;
    }

    /** Returns a builder of a channel to a server. */
    NettyChannelBuilder channelBuilder(Server server) {
        return RdmaGrpc.channel(NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()), connections())
                .usePlaintext();
    }

    /** Makes a channel, which the end of the test closes. */
    ManagedChannel channel(NettyChannelBuilder builder) {
        ManagedChannel channel = builder.build();
        channels.add(channel);
        return channel;
    }

    /** Makes a channel to a server of its own. */
    ManagedChannel channel() throws IOException {
        return channel(channelBuilder(start(serverBuilder(0))));
    }
}
