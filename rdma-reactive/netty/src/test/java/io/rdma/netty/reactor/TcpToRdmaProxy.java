package io.rdma.netty.reactor;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.rdma.netty.RdmaSocketChannel;
import java.net.InetSocketAddress;

/** Proxy that accepts clients over TCP and connects each to a server over RDMA. */
public final class TcpToRdmaProxy {
    private TcpToRdmaProxy() {}

    /** Starts a proxy on a free port. */
    public static Channel start(EventLoopGroup tcp, EventLoopGroup rdma, InetSocketAddress server) {
        return new ServerBootstrap()
                .group(tcp)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel front) {
                        Bootstrap back = new Bootstrap().group(rdma).channel(RdmaSocketChannel.class);
                        front.pipeline()
                                .addLast(new Relay(back.handler(new Relay(front))
                                        .connect(server)
                                        .channel()));
                    }
                })
                .bind(server.getAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    /** Relay of what one channel reads, and of its end, to another. */
    private static final class Relay extends ChannelInboundHandlerAdapter {
        private final Channel to;

        private Relay(Channel to) {
            this.to = to;
        }

        /** Lets the other side read, because there is now somewhere to write. */
        @Override
        public void channelActive(ChannelHandlerContext context) {
            to.config().setAutoRead(true);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            to.writeAndFlush(message).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            to.close();
        }

        /** Ends both sides: a client of TCP may reset its connection. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
