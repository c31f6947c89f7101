package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rdma.testing.TestDevice;
import io.rdma.verbs.RdmaDevice;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Event loops of one device, on which Netty's own tests run. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SocketDevice {
    private @Nullable EventLoopGroup group;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeAll
    void open() {
        RdmaDevice device = TestDevice.assumed(device());
        group = new MultiThreadIoEventLoopGroup(
                2,
                new DefaultThreadFactory("testsuite-rdma", true),
                RdmaIoHandler.newFactory(RdmaIoOptions.DEFAULT.withDevice(device)));
    }

    @AfterAll
    void close() {
        if (group != null) {
            assertThat(group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(60, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** Returns the event loops. */
    final EventLoopGroup loops() {
        assertThat(group).isNotNull();
        return group;
    }

    private ServerBootstrap server() {
        return new ServerBootstrap().group(group).channel(RdmaServerSocketChannel.class);
    }

    private Bootstrap client() {
        return new Bootstrap().group(group).channel(RdmaSocketChannel.class);
    }

    final List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> both() {
        return List.of(new BootstrapComboFactory<>() {
            @Override
            public ServerBootstrap newServerInstance() {
                return server();
            }

            @Override
            public Bootstrap newClientInstance() {
                return client();
            }
        });
    }

    final List<BootstrapFactory<Bootstrap>> clients() {
        return List.of(this::client);
    }

    final List<BootstrapFactory<ServerBootstrap>> servers() {
        return List.of(this::server);
    }
}
