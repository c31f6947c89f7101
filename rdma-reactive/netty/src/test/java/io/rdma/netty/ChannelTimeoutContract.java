package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.handler.timeout.WriteTimeoutException;
import io.netty.handler.timeout.WriteTimeoutHandler;
import io.rdma.internal.connect.ForgingPeer;
import io.rdma.netty.ChannelPair.Recorder;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Time-outs of Netty's handlers, and the water marks, with peers that do not read, give no credits, or are silent. */
abstract class ChannelTimeoutContract extends ChannelFixture {
    private static final int SHORT_MILLIS = 100;
    private static final int MUCH = 8 << 20; // several times what the buffers of a connection hold

    private static ChannelInitializer<Channel> pipeline(Supplier<ChannelHandler> first, Supplier<Recorder> second) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(first.get(), second.get());
            }
        };
    }

    private RdmaSocketChannel connect(Channel server, ChannelHandler first, Recorder recorder) {
        return (RdmaSocketChannel) ChannelPair.done(pair.client(recorder)
                .handler(pipeline(() -> first, () -> recorder))
                .connect(server.localAddress()));
    }

    private Channel deafServer() {
        return pair.bind(pair.server().childOption(ChannelOption.AUTO_READ, false));
    }

    private static WriteTimeoutHandler writeTimeout() {
        return new WriteTimeoutHandler(SHORT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void assertServed(Channel server) throws Exception {
        RdmaSocketChannel client = pair.connect(server, new Recorder());
        Recorder peer = pair.peer();
        peer.channel().config().setAutoRead(true);
        await(client.writeAndFlush(Unpooled.copyInt(7)));
        await().atMost(PATIENCE).until(() -> peer.received().length == Integer.BYTES);
    }

    @Test
    void writeToAPeerThatDoesNotReadTimesOut() throws Exception {
        Channel server = deafServer();
        Recorder recorder = new Recorder();
        RdmaSocketChannel channel = connect(server, writeTimeout(), recorder);
        pair.peer();
        assertThat(recorder.next()).isEqualTo("active");
        channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[MUCH]));
        assertThat(recorder.next()).isInstanceOf(WriteTimeoutException.class);
        assertThat(recorder.next()).isEqualTo("inactive");
        assertThat(channel.isOpen()).isFalse();
        assertServed(server);
    }

    /** A peer that has room for no more than the exchange said, and is deaf and dumb behind it. */
    @Test
    void writeToAPeerThatGrantsNoCreditsTimesOut() throws Exception {
        Channel server = pair.bind(pair.server().childHandler(pipeline(ChannelTimeoutContract::writeTimeout, () -> {
            Recorder recorder = new Recorder();
            pair.accepted.add(recorder);
            return recorder;
        })));
        try (ForgingPeer peer = new ForgingPeer(device(), (InetSocketAddress) server.localAddress())) {
            peer.introduced().answered().ready();
            Recorder recorder = pair.peer();
            recorder.channel().writeAndFlush(Unpooled.wrappedBuffer(new byte[MUCH]));
            assertThat(recorder.next()).isInstanceOf(WriteTimeoutException.class);
            assertThat(recorder.next()).isEqualTo("inactive");
        }
        assertServed(server);
    }

    @Test
    void readFromASilentPeerTimesOut() throws Exception {
        Channel server = pair.bind(pair.server());
        Recorder recorder = new Recorder();
        RdmaSocketChannel channel =
                connect(server, new ReadTimeoutHandler(SHORT_MILLIS, TimeUnit.MILLISECONDS), recorder);
        Recorder peer = pair.peer();
        assertThat(recorder.next()).isEqualTo("active");
        assertThat(recorder.next()).isInstanceOf(ReadTimeoutException.class);
        assertThat(recorder.next()).isEqualTo("inactive");
        assertThat(channel.isOpen()).isFalse();
        assertThat(peer.next()).isEqualTo("inactive");
        assertServed(server);
    }

    @Test
    void idleChannelIsReportedAndGoesOn() throws Exception {
        Channel server = pair.bind(pair.server());
        Recorder recorder = new Recorder();
        RdmaSocketChannel channel =
                connect(server, new IdleStateHandler(SHORT_MILLIS, SHORT_MILLIS, 0, TimeUnit.MILLISECONDS), recorder);
        Recorder peer = pair.peer();
        awaitIdle(recorder, IdleState.READER_IDLE);
        awaitIdle(recorder, IdleState.WRITER_IDLE);
        await(channel.writeAndFlush(Unpooled.copyInt(7)));
        await().atMost(PATIENCE).until(() -> peer.received().length == Integer.BYTES);
        awaitIdle(recorder, IdleState.READER_IDLE);
    }

    /** A writer whose bytes wait for a peer that does not read is idle, although it has something to write. */
    @Test
    void writerThatMakesNoProgressIsIdle() throws Exception {
        Recorder recorder = new Recorder();
        RdmaSocketChannel channel =
                connect(deafServer(), new IdleStateHandler(true, 0, SHORT_MILLIS, 0, TimeUnit.MILLISECONDS), recorder);
        pair.peer();
        channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[MUCH]));
        await().atMost(PATIENCE).until(() -> !channel.isWritable());
        recorder.events.clear();
        awaitIdle(recorder, IdleState.WRITER_IDLE);
    }

    private static void awaitIdle(Recorder recorder, IdleState state) throws InterruptedException {
        Object event;
        do {
            event = recorder.next();
        } while (!(event instanceof IdleStateEvent idle && idle.state() == state));
    }

    @Test
    void channelIsUnwritableAboveItsHighWaterMarkUntilThePeerReads() throws Exception {
        int high = 64 << 10;
        Recorder recorder = new Recorder() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                events.add(context.channel().isWritable());
            }
        };
        RdmaSocketChannel channel = (RdmaSocketChannel) ChannelPair.done(pair.client(recorder)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(high / 2, high))
                .connect(deafServer().localAddress()));
        Recorder peer = pair.peer();
        assertThat(recorder.next()).isEqualTo("active");
        await(channel.eventLoop().submit(() -> {
            for (int from = 0; from < MUCH; from += high) {
                channel.write(Unpooled.wrappedBuffer(new byte[high]));
            }
            channel.flush();
        }));
        assertThat(recorder.next()).isEqualTo(false);
        assertThat(recorder.events).isEmpty();
        assertThat(channel.isWritable()).isFalse();
        peer.channel().config().setAutoRead(true);
        assertThat(recorder.next()).isEqualTo(true);
        await().atMost(PATIENCE).until(() -> peer.received().length == MUCH);
        assertThat(channel.isWritable()).isTrue();
        assertThat(recorder.events).isEmpty();
    }
}
