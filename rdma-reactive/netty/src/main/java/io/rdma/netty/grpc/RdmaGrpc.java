package io.rdma.netty.grpc;

import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.rdma.netty.RdmaServerSocketChannel;
import io.rdma.netty.RdmaSocketChannel;

/**
 * Transport of gRPC over RDMA: sets event loops and channels in the builders of {@code grpc-netty}. All else of a
 * builder works as over TCP, such as TLS, interceptors, flow control and keep-alive.
 *
 * <p>The groups stay the application's: it makes them with {@link io.rdma.netty.RdmaIoHandler#newFactory()}, and closes
 * them when servers and channels have ended. One group may serve all of them.
 */
public final class RdmaGrpc {
    private RdmaGrpc() {}

    /**
     * Makes a server listen over RDMA.
     *
     * @param builder of a server, for example {@link NettyServerBuilder#forAddress(java.net.SocketAddress)}
     * @param boss event loops that accept clients
     * @param workers event loops of the clients' connections; may be those that accept
     * @return the builder
     */
    public static NettyServerBuilder server(NettyServerBuilder builder, EventLoopGroup boss, EventLoopGroup workers) {
        return builder.bossEventLoopGroup(boss)
                .workerEventLoopGroup(workers)
                .channelFactory(RdmaServerSocketChannel::new);
    }

    /**
     * Makes a channel of gRPC connect over RDMA.
     *
     * @param builder of a channel, for example {@link NettyChannelBuilder#forAddress(String, int)}
     * @param group event loops of the connections
     * @return the builder
     */
    public static NettyChannelBuilder channel(NettyChannelBuilder builder, EventLoopGroup group) {
        return builder.eventLoopGroup(group).channelFactory(RdmaSocketChannel::new);
    }
}
