package io.rdma.netty.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.DomainDatagramChannel;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.channel.unix.ServerDomainSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.netty.RdmaServerSocketChannel;
import io.rdma.netty.RdmaSocketChannel;
import io.rdma.testing.TestDevice;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RdmaLoopResourcesTest {
    private final RdmaLoopResources loops =
            RdmaLoopResources.create("test", 2, true, RdmaIoOptions.DEFAULT.withDevice(TestDevice.assumed("soft0")));

    @AfterEach
    void dispose() {
        loops.disposeLater(Duration.ZERO, LoopsContract.BOUND).block(LoopsContract.BOUND);
    }

    @Test
    void channelsAreThoseOverRdma() {
        EventLoopGroup group = loops.onServer(true);
        assertThat(loops.onChannelClass(SocketChannel.class, group)).isEqualTo(RdmaSocketChannel.class);
        assertThat(loops.onChannelClass(ServerSocketChannel.class, group)).isEqualTo(RdmaServerSocketChannel.class);
        assertThat(loops.onChannel(SocketChannel.class, group)).isInstanceOf(RdmaSocketChannel.class);
        assertThat(loops.onChannel(ServerSocketChannel.class, group)).isInstanceOf(RdmaServerSocketChannel.class);
    }

    @Test
    void datagramsAreThoseOfUdp() {
        EventLoopGroup group = loops.onClient(true);
        assertThat(loops.onChannelClass(DatagramChannel.class, group)).isEqualTo(NioDatagramChannel.class);
        assertThat(loops.onChannel(DatagramChannel.class, group)).isInstanceOf(NioDatagramChannel.class);
    }

    @Test
    void channelsThatRdmaHasNotAreRefusedByName() {
        EventLoopGroup group = loops.onServer(false);
        assertThatThrownBy(() -> loops.onChannelClass(ServerDomainSocketChannel.class, group))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("ServerDomainSocketChannel", "bind the server to a host");
        assertThatThrownBy(() -> loops.onChannelClass(DomainSocketChannel.class, group))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContainingAll("DomainSocketChannel", "connect the client to a host");
        assertThatThrownBy(() -> loops.onChannel(DomainDatagramChannel.class, group))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("DomainDatagramChannel");
    }

    @Test
    void serversAndClientsShareTheEventLoops() {
        Set<EventExecutor> shared = executors(loops.onServer(true));
        assertThat(shared).hasSize(2);
        assertThat(executors(loops.onServer(false))).isEqualTo(shared);
        assertThat(executors(loops.onServerSelect(true))).isEqualTo(shared);
        assertThat(executors(loops.onClient(true))).isEqualTo(shared);
    }

    private static Set<EventExecutor> executors(EventLoopGroup group) {
        return StreamSupport.stream(group.spliterator(), false).collect(Collectors.toSet());
    }

    @Test
    void nothingIsMadeAfterTheDisposal() {
        loops.disposeLater(Duration.ZERO, LoopsContract.BOUND).block(LoopsContract.BOUND);
        assertThat(loops.isDisposed()).isTrue();
        assertThatThrownBy(() -> loops.onClient(true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the event loops are disposed");
    }

    @Test
    void argumentsAreChecked() {
        assertThatThrownBy(() -> RdmaLoopResources.create("")).hasMessageContaining("must not be empty");
        assertThatThrownBy(() -> RdmaLoopResources.create("test", 0, true, RdmaIoOptions.DEFAULT))
                .hasMessageContaining("at least one event loop: 0");
    }
}
