package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.rdma.testing.TestDevice;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Event loops, a server and clients of one device, and what their channels have seen. */
final class ChannelPair {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Handler that records what it sees. */
    static class Recorder extends ChannelInboundHandlerAdapter {
        final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private @Nullable Channel channel;

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            channel = context.channel();
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            events.add("active");
            context.fireChannelActive();
        }

        @Override
        public synchronized void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            bytes.writeBytes(ByteBufUtil.getBytes(buffer));
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            events.add(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            events.add(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            events.add("inactive");
        }

        synchronized byte[] received() {
            return bytes.toByteArray();
        }

        RdmaSocketChannel channel() {
            return (RdmaSocketChannel) java.util.Objects.requireNonNull(channel);
        }

        Object next() throws InterruptedException {
            Object event = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertThat(event).as("an event").isNotNull();
            return event;
        }
    }

    final EventLoopGroup group;
    final BlockingQueue<Recorder> accepted = new LinkedBlockingQueue<>();

    ChannelPair(String device) {
        this(RdmaIoOptions.DEFAULT.withDevice(TestDevice.assumed(device)));
    }

    ChannelPair(RdmaIoOptions options) {
        group = new MultiThreadIoEventLoopGroup(
                2, new DefaultThreadFactory("channels", true), RdmaIoHandler.newFactory(options));
    }

    ServerBootstrap server() {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        Recorder recorder = new Recorder();
                        channel.pipeline().addLast(recorder);
                        accepted.add(recorder);
                    }
                });
    }

    /** Binds a server to a free port. */
    Channel bind(ServerBootstrap server) {
        return done(server.bind(new InetSocketAddress("127.0.0.1", 0)));
    }

    Bootstrap client(Recorder recorder) {
        return new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) PATIENCE.toMillis())
                .handler(recorder);
    }

    RdmaSocketChannel connect(Channel server, Recorder recorder) {
        return (RdmaSocketChannel) done(client(recorder).connect(server.localAddress()));
    }

    /** Returns what the next accepted channel sees, once it is active. */
    Recorder peer() throws InterruptedException {
        Recorder recorder = accepted.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(recorder).as("an accepted channel").isNotNull();
        assertThat(recorder.next()).isEqualTo("active");
        return recorder;
    }

    static Channel done(ChannelFuture future) {
        await(future);
        return future.channel();
    }

    static void await(Future<?> future) {
        assertThat(future.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(future.cause()).isNull();
    }

    /** Closes everything; fails if an event loop does not end, which it does when its device is closed. */
    void close() {
        await(group.shutdownGracefully(0, PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }
}
