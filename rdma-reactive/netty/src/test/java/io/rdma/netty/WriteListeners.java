package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rdma.testing.TestDevice;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners of writes that end the stream: the peer gets what was written, and then the end. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
abstract class WriteListeners {
    private EventLoopGroup group;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeAll
    void open() {
        group = new MultiThreadIoEventLoopGroup(
                2,
                new DefaultThreadFactory("listeners-rdma", true),
                RdmaIoHandler.newFactory(RdmaIoOptions.DEFAULT.withDevice(TestDevice.assumed(device()))));
    }

    @AfterAll
    void close() {
        if (group != null) {
            assertThat(group.shutdownGracefully(0, 30, TimeUnit.SECONDS).awaitUninterruptibly(60, TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    /** Peer that counts bytes until the end of the stream. */
    private static final class Counter extends SimpleChannelInboundHandler<ByteBuf> {
        private final CompletableFuture<Integer> ended;
        private int count;

        private Counter(CompletableFuture<Integer> ended) {
            this.ended = ended;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            count += bytes.readableBytes();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                ended.complete(count);
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            ended.completeExceptionally(cause);
        }
    }

    /** Writes, flushes afterwards, and ends the stream when the last write is complete. Returns what the peer got. */
    private int received(int length, ChannelFutureListener end) throws Exception {
        CompletableFuture<Integer> ended = new CompletableFuture<>();
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Counter(ended));
                    }
                })
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .sync()
                .channel();
        Channel client = new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelActive(ChannelHandlerContext context) {
                        context.write(Unpooled.wrappedBuffer(new byte[length]));
                        context.write(Unpooled.wrappedBuffer(new byte[1])).addListener(end);
                        context.flush();
                    }
                })
                .connect(server.localAddress())
                .sync()
                .channel();
        try {
            return ended.get(60, TimeUnit.SECONDS);
        } finally {
            client.close().sync();
            server.close().sync();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8_191, 8_192, 2_000_000})
    void close(int length) throws Exception {
        assertThat(received(length, ChannelFutureListener.CLOSE)).isEqualTo(length + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8_191, 8_192, 2_000_000})
    void shutdownOutput(int length) throws Exception {
        assertThat(received(length, future -> ((DuplexChannel) future.channel()).shutdownOutput()))
                .isEqualTo(length + 1);
    }
}
