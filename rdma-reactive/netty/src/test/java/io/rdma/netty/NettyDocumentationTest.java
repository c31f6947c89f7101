package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Snippets of docs/guide/netty.md. */
class NettyDocumentationTest {
    /** Handler that returns what it receives. */
    @ChannelHandler.Sharable
    private static final class EchoHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    @Test
    void anEcho() throws Exception {
        EchoHandler handler = new EchoHandler();
        CompletableFuture<String> answer = new CompletableFuture<>();
        ChannelInitializer<Channel> pipeline = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(new StringDecoder(StandardCharsets.UTF_8), new StringEncoder(StandardCharsets.UTF_8))
                        .addLast(new ChannelInboundHandlerAdapter() {
                            @Override
                            public void channelRead(ChannelHandlerContext context, Object message) {
                                answer.complete((String) message);
                            }
                        });
            }
        };

        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(handler)
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        Channel client = new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .handler(pipeline)
                .connect(server.localAddress())
                .sync()
                .channel();

        client.writeAndFlush("hello");
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("hello");

        ByteBuf buffer = client.alloc().directBuffer(); // the device reads it where it is

        buffer.release();
        group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    }
}
