package io.rdma.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.util.ReferenceCountUtil;
import io.rdma.netty.reactor.TcpToRdmaProxy;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * h2spec, which judges servers of HTTP/2, on Netty's codec over a device. A proxy stands between, because h2spec speaks
 * TCP. Left out are six of its 145 cases, which Netty's codec does not pass over TCP either: {@code 5.1/6} and {@code
 * 5.1/12} (HEADERS on a stream that is closed), {@code 5.1.1/2} (a number of a stream that is lower than the one
 * before), {@code 8.1.2.3/2} to {@code 4} (requests without a method, a scheme or a path, which Netty leaves to the
 * application).
 */
abstract class H2SpecSuite extends SocketDevice {
    @Test
    @Timeout(120)
    void aServerOverRdmaKeepsToTheSpecification(@TempDir Path folder) throws Exception {
        assumeTrue(H2Spec.isForThisMachine(), "h2spec is a program for Linux on x86-64");
        H2Spec judge = H2Spec.unpacked(folder);
        Channel server = servers()
                .getFirst()
                .newInstance()
                .childHandler(new Connection())
                .bind("127.0.0.1", 0)
                .sync()
                .channel();
        EventLoopGroup tcp = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Channel proxy = TcpToRdmaProxy.start(tcp, loops(), (InetSocketAddress) server.localAddress());
        int port = ((InetSocketAddress) proxy.localAddress()).getPort();

        assertThat(judge.judge(port, folder.resolve("output")))
                .endsWith("139 tests, 139 passed, 0 skipped, 0 failed\n");

        server.close().sync();
        tcp.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
    }

    /** Pipeline of a connection. */
    @ChannelHandler.Sharable
    private static final class Connection extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            channel.pipeline()
                    .addLast(Http2FrameCodecBuilder.forServer().build())
                    .addLast(new Http2MultiplexHandler(new Hello()));
        }
    }

    /** Handler of streams that answers each request. */
    @ChannelHandler.Sharable
    private static final class Hello extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            boolean isEnd = frame instanceof Http2HeadersFrame headers && headers.isEndStream()
                    || frame instanceof Http2DataFrame data && data.isEndStream();
            ReferenceCountUtil.release(frame);
            if (isEnd) {
                context.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
                context.writeAndFlush(
                        new DefaultHttp2DataFrame(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8), true));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // h2spec breaks the rules of a stream on purpose
        }
    }
}
