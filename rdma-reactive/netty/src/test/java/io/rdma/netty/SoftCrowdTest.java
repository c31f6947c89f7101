package io.rdma.netty;

import static io.rdma.netty.ChannelPair.PATIENCE;
import static io.rdma.netty.ChannelPair.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rdma.connect.AdmissionLimits;
import io.rdma.connect.ConnectMethod;
import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.netty.ChannelPair.Recorder;
import io.rdma.soft.SoftNetwork;
import io.rdma.types.QueuePairCapacity;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Many more clients than a server admits. {@code -Dio.rdma.netty.clients=10000 -Dio.rdma.netty.admitted=1000} is the
 * whole; without these properties it is scaled down, so that it takes seconds.
 */
class SoftCrowdTest {
    private static final int CLIENTS = Integer.getInteger("io.rdma.netty.clients", 1_000);
    private static final int ADMITTED = Integer.getInteger("io.rdma.netty.admitted", 100);

    /** Clients that connect at the same time. */
    private static final int AT_ONCE = 64;

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final ConnectionOptions SMALL = ConnectionOptions.DEFAULT
            .withConnectMethod(ConnectMethod.TCP)
            .withHandshakeTimeout(PATIENCE)
            .withQueuePair(QueuePairCapacity.DEFAULT.withMaxSendWr(8))
            .withSignalEvery(4)
            .withReceiveBuffers(4, 256)
            .withSendBuffers(4, 256);

    private final Semaphore connecting = new Semaphore(AT_ONCE);
    private final Queue<Throwable> refusals = new ConcurrentLinkedQueue<>();
    private ChannelPair pair;

    @BeforeEach
    void open() {
        pair = new ChannelPair("soft0");
    }

    @AfterEach
    void close() {
        pair.close();
    }

    /** Echoes what it reads. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    private static long sockets() throws IOException {
        if (!Files.isDirectory(DESCRIPTORS)) {
            return 0; // not Linux
        }
        try (Stream<Path> all = Files.list(DESCRIPTORS)) {
            return all.filter(SoftCrowdTest::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException gone) {
            return false;
        }
    }

    private List<Recorder> connect(Channel server, int clients) throws InterruptedException {
        Queue<Recorder> connected = new ConcurrentLinkedQueue<>();
        for (int number = 0; number < clients; number++) {
            assertThat(connecting.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            Recorder recorder = new Recorder();
            ChannelFuture connect = pair.client(recorder)
                    .option(RdmaChannelOption.CONNECTION_OPTIONS, SMALL)
                    .connect(server.localAddress());
            connect.addListener(done -> {
                if (done.isSuccess()) {
                    connected.add(recorder);
                } else {
                    refusals.add(done.cause());
                }
                connecting.release();
            });
        }
        assertThat(connecting.tryAcquire(AT_ONCE, PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .isTrue();
        connecting.release(AT_ONCE);
        return new ArrayList<>(connected);
    }

    private static void assertEchoes(List<Recorder> clients) {
        int before = clients.getFirst().received().length;
        clients.forEach(client -> client.channel().writeAndFlush(Unpooled.copyInt(7)));
        await("each has its own bytes back")
                .atMost(PATIENCE)
                .until(() -> clients.stream().allMatch(client -> client.received().length == before + Integer.BYTES));
    }

    @Test
    void serverServesAsManyAsItAdmitsAndTellsTheOthers() throws Exception {
        ChannelGroup served = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
        Channel server = pair.bind(pair.server()
                .option(RdmaChannelOption.CONNECTION_OPTIONS, SMALL)
                .option(RdmaChannelOption.ADMISSION_LIMITS, new AdmissionLimits(ADMITTED, 2 * AT_ONCE, 2 * AT_ONCE))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        served.add(channel);
                        channel.pipeline().addLast(new Echo());
                    }
                }));
        assertEchoes(connect(server, 1)); // what is made once is there now
        await(served.close());
        await().atMost(PATIENCE).until(() -> !objects().containsKey("ibv_qp"));
        Map<String, Integer> objects = objects();
        long sockets = sockets();
        List<Recorder> clients = connect(server, ADMITTED);
        assertThat(refusals).isEmpty();
        assertEchoes(clients);
        assertThat(connect(server, CLIENTS - ADMITTED)).isEmpty();
        assertThat(refusals)
                .hasSize(CLIENTS - ADMITTED)
                .allSatisfy(refusal -> assertThat(refusal)
                        .isInstanceOf(ConnectException.class)
                        .hasMessageContaining("it has as many connections as it admits")
                        .hasCauseInstanceOf(RdmaConnectException.class));
        assertThat(served.size()).isEqualTo(ADMITTED);
        assertEchoes(clients);
        for (Recorder client : clients) {
            client.channel().close();
        }
        await("everything is closed")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(objects()).isEqualTo(objects));
        await("no descriptor is left").atMost(PATIENCE).until(() -> sockets() <= sockets);
        await().atMost(PATIENCE).until(served::isEmpty);
        assertEchoes(connect(server, 1));
    }

    /** Returns the open objects of the device. An event loop keeps the completion queues that it once needed. */
    private static Map<String, Integer> objects() {
        Map<String, Integer> open = new HashMap<>(SoftNetwork.ofThisProcess().openObjects());
        open.remove("ibv_cq");
        return open;
    }
}
