package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.connect.RdmaListener;
import io.rdma.netty.ChannelPair.Recorder;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.TestDevice;
import io.rdma.types.RegistrationLimitException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Event loops that may register little memory, or whose device refuses to register more. */
abstract class ScarceMemoryContract {
    private static final int MUCH = 2 << 20;

    private final List<ChannelPair> opened = new ArrayList<>();

    /** Returns the name of the device. */
    abstract String device();

    @AfterEach
    void close() {
        opened.reversed().forEach(ChannelPair::close);
    }

    private ChannelPair pair(RdmaIoOptions options) {
        ChannelPair pair = new ChannelPair(options);
        opened.add(pair);
        return pair;
    }

    private RdmaIoOptions options() {
        return RdmaIoOptions.DEFAULT.withDevice(TestDevice.assumed(device()));
    }

    /** Writes bytes from buffers of the channel's allocator, and checks that they arrive. */
    private static void assertCarries(RdmaSocketChannel channel, Recorder peer, int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        int before = peer.received().length;
        CompletableFuture<Void> written = new CompletableFuture<>();
        channel.eventLoop().execute(() -> {
            List<ByteBuf> all = new ArrayList<>();
            for (int from = 0; from < length; from += 32 << 10) {
                int size = Math.min(32 << 10, length - from);
                all.add(channel.alloc().directBuffer(size).writeBytes(bytes, from, size));
            }
            all.forEach(channel::write);
            channel.flush();
            written.complete(null);
        });
        written.join();
        await().atMost(PATIENCE).until(() -> peer.received().length == before + length);
        assertThat(peer.received()).endsWith(bytes);
    }

    @Test
    void buffersBeyondThePooledBytesAreCopied() throws Exception {
        for (long pooled : new long[] {0, 1 << 20}) {
            ChannelPair pair = pair(options().withPooledBytes(pooled));
            RdmaSocketChannel channel = pair.connect(pair.bind(pair.server()), new Recorder());
            long before = registered(channel);
            assertCarries(channel, pair.peer(), MUCH);
            ByteBuf beyond = channel.alloc().directBuffer(1 << 20);
            beyond.release();
            assertThat(registered(channel) - before).isLessThanOrEqualTo(pooled + (2 << 20)); // and more send buffers
        }
    }

    private static long registered(RdmaSocketChannel channel) {
        return channel.home().join().resources().registrationBudget().registered();
    }

    /** Server whose limit of registered memory is reached: a further client is refused, the others go on. */
    @Test
    void serverWithoutMemoryForAClientRefusesItAndGoesOn() throws Exception {
        ResourceOptions few = ResourceOptions.DEFAULT.withMaxRegisteredBytes(1 << 20);
        ChannelPair serving = pair(options().withPooledBytes(0).withResources(few));
        ChannelPair connecting = pair(options());
        Channel server = serving.bind(serving.server());
        List<RdmaSocketChannel> clients = new ArrayList<>();
        try (CapturedLog log = new CapturedLog(RdmaListener.class.getName())) {
            ChannelFuture refused;
            while ((refused = connecting
                            .client(new Recorder())
                            .connect(server.localAddress())
                            .awaitUninterruptibly())
                    .isSuccess()) {
                clients.add((RdmaSocketChannel) refused.channel());
                assertThat(clients).hasSizeLessThan(1000);
            }
            assertThat(refused.cause()).isInstanceOf(ConnectException.class).hasMessageContaining("its log says why");
            await().atMost(PATIENCE).until(() -> log.has("WARNING", "raise maxRegisteredBytes"));
        }
        List<Recorder> peers = new ArrayList<>();
        for (RdmaSocketChannel client : clients) {
            Recorder peer = serving.peer();
            peers.add(peer);
            assertThat(peer.channel().remoteAddress()).isEqualTo(client.localAddress());
        }
        assertCarries(clients.getFirst(), peers.getFirst(), MUCH); // with the buffers that it has
        assertCarries(clients.getLast(), peers.getLast(), MUCH);
        await(clients.getFirst().close());
        await(clients.get(1).close());
        await().atMost(PATIENCE)
                .until(() -> connecting
                        .client(new Recorder())
                        .connect(server.localAddress())
                        .awaitUninterruptibly()
                        .isSuccess());
    }

    @Test
    void clientWithoutMemoryIsToldTheOption() throws Exception {
        ChannelPair serving = pair(options());
        ResourceOptions none = ResourceOptions.DEFAULT.withMaxRegisteredBytes(4096);
        ChannelPair connecting = pair(options().withResources(none));
        Channel server = serving.bind(serving.server());
        for (int tries = 0; tries < 4; tries++) { // each event loop more than once
            ChannelFuture connect = connecting.client(new Recorder()).connect(server.localAddress());
            assertThat(connect.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
            assertThat(connect.cause())
                    .isInstanceOf(RegistrationLimitException.class)
                    .hasMessageContaining("raise maxRegisteredBytes");
            await().atMost(PATIENCE).until(() -> !connect.channel().isOpen());
            assertThat(registered(connecting)).isZero();
        }
        serving.accepted.clear(); // the server knew of the clients, which never reported that they were ready
        RdmaSocketChannel other = serving.connect(server, new Recorder());
        assertCarries(other, serving.peer(), 1);
    }

    private static long registered(ChannelPair pair) {
        RdmaSocketChannel probe = new RdmaSocketChannel();
        await(pair.group.register(probe));
        long bytes = registered(probe);
        await(probe.close());
        return bytes;
    }

    /** Device that refuses to register memory from some time on. */
    @Test
    void deviceThatRegistersNoMoreStillCarriesBytes() throws Exception {
        RefusingDevice refusing = new RefusingDevice(device());
        ChannelPair pair = pair(RdmaIoOptions.DEFAULT.withDevice(refusing.device()));
        Channel server = pair.bind(pair.server());
        RdmaSocketChannel channel = pair.connect(server, new Recorder());
        Recorder peer = pair.peer();
        try (CapturedLog log = new CapturedLog(SlabPool.class.getName())) {
            refusing.refuse("regMr");
            long since = System.nanoTime();
            assertCarries(channel, peer, MUCH);
            assertThat(log.lines())
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line).contains("no more memory is registered", "regMr"));
            assertThat(refusing.refusals.get())
                    .as("once a second for each event loop, and not for each of %s buffers", MUCH / (32 << 10))
                    .isLessThan(10
                            + 2
                                    * (int) Duration.ofNanos(System.nanoTime() - since)
                                            .toSeconds());
        }
        try (CapturedLog log = new CapturedLog(RdmaListener.class.getName())) {
            ChannelFuture refused = pair.client(new Recorder()).connect(server.localAddress());
            assertThat(refused.awaitUninterruptibly(PATIENCE.toMillis())).isTrue();
            assertThat(refused.cause()).isInstanceOf(ConnectException.class).hasMessageContaining("its log says why");
            await().atMost(PATIENCE).until(() -> log.has("WARNING", "regMr failed"));
        }
        refusing.relent();
        pair.accepted.clear();
        RdmaSocketChannel second = pair.connect(server, new Recorder());
        assertCarries(second, pair.peer(), MUCH);
    }
}
