package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static io.rdma.netty.ChannelPair.done;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.rdma.connect.AdmissionLimits;
import io.rdma.netty.ChannelPair.Recorder;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Contract of channels over RDMA beyond what Netty's own tests ask of a socket. */
@Tag("lent")
abstract class ChannelContract extends ChannelFixture {

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void awaitReceived(Recorder recorder, byte[] expected) {
        await().atMost(PATIENCE).until(() -> recorder.received().length >= expected.length);
        assertThat(recorder.received()).isEqualTo(expected);
    }

    /** Returns the number of messages that the loop of a channel has posted so far. */
    private static long posted(RdmaSocketChannel channel) {
        return channel.home().join().resources().loops().getFirst().counters().posted();
    }

    @Test
    void whatIsWrittenBetweenTwoFlushesTravelsAsOneMessage() throws Exception {
        Recorder client = new Recorder();
        RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), client);
        Recorder server = pair.peer();
        byte[] bytes = random(1000);
        CompletableFuture<Long> calls = new CompletableFuture<>();
        channel.eventLoop().execute(() -> {
            long before = posted(channel);
            for (byte one : bytes) {
                channel.write(channel.alloc().buffer(1).writeByte(one));
            }
            channel.flush();
            calls.complete(posted(channel) - before);
        });
        assertThat(calls.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
        awaitReceived(server, bytes);
    }

    @Test
    void buffersOfTheEventLoopAreGatheredAndOthersAreCopied() throws Exception {
        RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), new Recorder());
        Recorder server = pair.peer();
        byte[] bytes = random(400_000);
        int from = 0;
        Random sizes = new Random(1);
        while (from < bytes.length) {
            CompositeByteBuf composite = channel.alloc().compositeBuffer(64);
            for (int part = 0; part < 20 && from < bytes.length; part++) {
                int length = Math.min(bytes.length - from, 1 + sizes.nextInt(6_000));
                ByteBuf one = switch (sizes.nextInt(4)) {
                    case 0 -> Unpooled.buffer(length);
                    case 1 -> UnpooledByteBufAllocator.DEFAULT.directBuffer(length);
                    case 2 -> channel.alloc().directBuffer(1);
                    default -> channel.alloc().directBuffer(length);
                };
                one.writeBytes(bytes, from, length);
                if (sizes.nextBoolean()) {
                    composite.addComponent(true, one);
                } else {
                    channel.write(composite);
                    channel.write(one);
                    composite = channel.alloc().compositeBuffer(64);
                }
                from += length;
            }
            channel.writeAndFlush(composite);
        }
        awaitReceived(server, bytes);
    }

    @Test
    void theDeviceReadsBuffersOfTheEventLoopWhereTheyAre() throws Exception {
        RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), new Recorder());
        Recorder server = pair.peer();
        CompletableFuture<List<Integer>> counts = new CompletableFuture<>();
        CompletableFuture<ByteBuf> written = new CompletableFuture<>();
        channel.eventLoop().execute(() -> {
            ByteBuf own = channel.alloc().directBuffer(4096).writeZero(4096);
            ByteBuf foreign =
                    UnpooledByteBufAllocator.DEFAULT.directBuffer(3000).writeZero(3000);
            ByteBuf shared = channel.alloc().directBuffer(2000).writeZero(2000);
            channel.write(own);
            channel.write(foreign);
            channel.write(channel.alloc().compositeBuffer().addComponent(true, shared.retain()));
            channel.flush();
            counts.complete(List.of(own.refCnt(), foreign.refCnt(), shared.refCnt()));
            shared.setByte(0, 1); // allowed, as the write has succeeded
            shared.release();
            written.complete(own);
        });
        assertThat(counts.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("held until the device has read it, copied, and copied because it is shared")
                .containsExactly(1, 0, 1);
        ByteBuf own = written.join();
        awaitReceived(server, new byte[9096]);
        await().atMost(PATIENCE).until(() -> own.refCnt() == 0);
    }

    @Test
    void aReaderThatDoesNotReadMakesTheWriterUnwritableAndLosesNothing() throws Exception {
        RdmaSocketChannel channel =
                pair.connect(pair.bind(pair.server().childOption(ChannelOption.AUTO_READ, false)), new Recorder());
        Recorder server = pair.peer();
        byte[] bytes = random(8 << 20);
        List<ChannelFuture> writes = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += 64 << 10) {
            writes.add(channel.writeAndFlush(Unpooled.wrappedBuffer(bytes, from, 64 << 10)));
        }
        await().atMost(PATIENCE)
                .until(() -> !channel.isWritable() && writes.getFirst().isSuccess());
        assertThat(writes.getLast().isDone()).isFalse();
        assertThat(server.received()).isEmpty();
        server.channel().config().setAutoRead(true);
        awaitReceived(server, bytes);
        await(writes.getLast());
        await().atMost(PATIENCE).until(channel::isWritable);
    }

    @Test
    void aCloseDeliversWhatWasAcceptedAndEndsInOrder() throws Exception {
        RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), new Recorder());
        Recorder server = pair.peer();
        byte[] bytes = random(300_000);
        channel.write(Unpooled.wrappedBuffer(bytes));
        done(channel.writeAndFlush(Unpooled.EMPTY_BUFFER));
        await(channel.close());
        assertThat(server.next()).isEqualTo("inactive");
        assertThat(server.received()).isEqualTo(bytes);
    }

    @Test
    void aResetIsTold() throws Exception {
        RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), new Recorder());
        Recorder server = pair.peer();
        channel.config().setSoLinger(0);
        await(channel.close());
        assertThat(server.next()).isInstanceOf(IOException.class).asString().contains("Connection reset by peer");
        assertThat(server.next()).isEqualTo("inactive");
    }

    @Test
    void eachDirectionEndsByItself() throws Exception {
        Recorder client = new Recorder();
        RdmaSocketChannel channel =
                pair.connect(pair.bind(pair.server().childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)), client);
        Recorder server = pair.peer();
        channel.writeAndFlush(Unpooled.copyInt(1));
        await(channel.shutdownOutput());
        assertThat(server.next()).isEqualTo(ChannelInputShutdownEvent.INSTANCE);
        assertThat(server.next()).isEqualTo(ChannelInputShutdownReadComplete.INSTANCE);
        assertThat(server.received()).hasSize(Integer.BYTES);
        byte[] answer = random(100_000);
        await(server.channel().writeAndFlush(Unpooled.wrappedBuffer(answer)));
        await(server.channel().close());
        awaitReceived(client, answer);
        await().atMost(PATIENCE).until(() -> !channel.isOpen());
    }

    @Test
    void receivedBuffersOutliveTheirChannel() throws Exception {
        List<ByteBuf> kept = new ArrayList<>();
        Recorder keeper = new Recorder() {
            @Override
            public synchronized void channelRead(io.netty.channel.ChannelHandlerContext context, Object message) {
                synchronized (kept) {
                    kept.add((ByteBuf) message);
                }
            }
        };
        RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), keeper);
        Recorder server = pair.peer();
        byte[] bytes = random(2 << 20); // twice the receive buffers: from half of them on, messages are copied
        server.channel().writeAndFlush(Unpooled.wrappedBuffer(bytes));
        await().atMost(PATIENCE).until(() -> {
            synchronized (kept) {
                return kept.stream().mapToInt(ByteBuf::readableBytes).sum() == bytes.length;
            }
        });
        await(channel.close());
        ByteBuf all = Unpooled.wrappedBuffer(kept.toArray(ByteBuf[]::new));
        assertThat(all).isEqualTo(Unpooled.wrappedBuffer(bytes));
        all.release();
    }

    @Test
    void aServerAdmitsAsManyAsItsLimitsSay() throws Exception {
        Channel server = pair.bind(
                pair.server().option(RdmaChannelOption.ADMISSION_LIMITS, AdmissionLimits.DEFAULT.withConnections(2)));
        RdmaSocketChannel first = pair.connect(server, new Recorder());
        pair.connect(server, new Recorder());
        ChannelFuture third = pair.client(new Recorder()).connect(server.localAddress());
        assertThat(third.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(third.cause()).isInstanceOf(ConnectException.class);
        pair.peer();
        pair.peer();
        await(first.close());
        await().atMost(PATIENCE)
                .until(() -> pair.client(new Recorder())
                        .connect(server.localAddress())
                        .awaitUninterruptibly()
                        .isSuccess());
    }

    @Test
    void aServerThatIsNotThereAndOneThatIsSilentAreTold() throws Exception {
        int port;
        try (ServerSocket silent = new ServerSocket(0)) {
            port = silent.getLocalPort();
            ChannelFuture connect = pair.client(new Recorder())
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200)
                    .connect(new InetSocketAddress("127.0.0.1", silent.getLocalPort()));
            assertThat(connect.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
            assertThat(connect.cause()).isInstanceOf(ConnectTimeoutException.class);
            ChannelFuture cancelled =
                    pair.client(new Recorder()).connect(new InetSocketAddress("127.0.0.1", silent.getLocalPort()));
            assertThat(cancelled.cancel(false)).isTrue();
            await().atMost(PATIENCE).until(() -> !cancelled.channel().isOpen());
        }
        ChannelFuture refused = pair.client(new Recorder()).connect(new InetSocketAddress("127.0.0.1", port));
        assertThat(refused.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(refused.cause()).isInstanceOf(ConnectException.class);
    }

    @Test
    void anotherEventLoopDoesNotTakeAChannel() throws Exception {
        RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), new Recorder());
        Recorder server = pair.peer();
        var own = channel.eventLoop();
        await(channel.deregister());
        await(own.register(channel));
        await(channel.writeAndFlush(Unpooled.copyInt(7)));
        await().atMost(PATIENCE).until(() -> server.received().length == Integer.BYTES);
        await(channel.deregister());
        var other = pair.group.next() == own ? pair.group.next() : pair.group.next();
        while (other == own) {
            other = pair.group.next();
        }
        ChannelFuture moved = other.register(channel);
        assertThat(moved.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
        assertThat(moved.cause()).hasMessageContaining("stays with its event loop");
    }

    @Test
    void optionsThatMakeNoSenseAreRefusedByName() {
        RdmaSocketChannel channel = new RdmaSocketChannel();
        assertThat(channel.config().setOption(ChannelOption.IP_TOS, 1)).isFalse();
        for (ChannelOption<Boolean> option :
                List.of(ChannelOption.TCP_NODELAY, ChannelOption.SO_KEEPALIVE, ChannelOption.SO_REUSEADDR)) {
            assertThat(channel.config().setOption(option, false)).isTrue();
            assertThat(channel.config().getOption(option)).as("it stays on").isTrue();
        }
        assertThatThrownBy(() -> channel.config().setReceiveBufferSize(1))
                .isInstanceOf(ChannelException.class)
                .hasMessageContaining("withReceiveBuffers");
        assertThat(channel.config().getOptions()).containsKey(RdmaChannelOption.CONNECTION_OPTIONS);
        channel.unsafe().closeForcibly();
    }
}
