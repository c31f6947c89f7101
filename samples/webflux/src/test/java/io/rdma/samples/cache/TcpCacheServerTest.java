package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.netty.DisposableServer;

/** The slots over TCP: answers, their order, locked slots, and frames that the client of the sample does not send. */
@Timeout(600)
class TcpCacheServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int SLOTS = 1 << 10;

    private final MemorySegment slots = Arena.ofAuto().allocate((long) SLOTS * Slot.BYTES, Long.BYTES);
    private final MemorySegment counters =
            Arena.ofAuto().allocate((long) CacheMemory.COUNTERS * Long.BYTES, Long.BYTES);
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private CacheStatistics statistics;
    private DisposableServer server;
    private TcpCacheClient client;

    @BeforeEach
    void start() {
        statistics = new CacheStatistics(registry);
        serve(true);
    }

    @AfterEach
    void stop() {
        server.disposeNow(PATIENCE);
        statistics.destroy();
    }

    private void serve(boolean mayWrite) {
        server = new TcpCacheServer(new LocalSlots(slots, counters, 1, mayWrite)).bind("127.0.0.1", 0);
        client = new TcpCacheClient("127.0.0.1", server.port(), statistics);
    }

    @Test
    void valuesAndCounters() {
        assertThat(client.get("key").block(PATIENCE)).isNull();
        assertThat(client.put("key", Slot.bytes("value")).block(PATIENCE)).isEqualTo(1);
        assertThat(client.put("key", new byte[0]).block(PATIENCE)).isEqualTo(2);
        byte[] most = new byte[Slot.CAPACITY - "key".length()];
        new Random(1).nextBytes(most);
        assertThat(client.put("key", most).block(PATIENCE)).isEqualTo(3);
        assertThat(client.get("key").block(PATIENCE)).satisfies(found -> {
            assertThat(found.version()).isEqualTo(3);
            assertThat(found.value()).isEqualTo(most);
        });
        assertThat(client.add(63, 5).block(PATIENCE)).isEqualTo(5);
        assertThat(client.add(63, -7).block(PATIENCE)).isEqualTo(-2);
        assertThatThrownBy(() -> client.add(64, 1).block(PATIENCE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void answersComeToTheirRequests() {
        List<String> keys = Flux.range(0, 16).map(i -> "key" + i).collectList().block(PATIENCE);
        assertThat(keys).hasSize(16);
        Flux.fromIterable(keys)
                .flatMap(key -> client.put(key, Slot.bytes("value of " + key)))
                .blockLast(PATIENCE);
        List<String> wrong = Flux.range(0, 2_000)
                .map(i -> keys.get(i % 16))
                .flatMap(key -> client.get(key).map(found -> key + " has " + new String(found.value())), 64)
                .filter(line -> !line.matches("(key\\d+) has value of \\1"))
                .collectList()
                .block(PATIENCE);
        assertThat(wrong).isEmpty();
    }

    @Test
    void aSlotThatAWriterHoldsIsAskedForAgain() throws Exception {
        long slot = Slot.index(Slot.bytes("key"), SLOTS) * Slot.BYTES;
        Slot.WORD.setVolatile(slots, slot, Slot.free(0) | 7);
        CompletableFuture<Slot.Content.Found> read = client.get("key").toFuture();
        CompletableFuture<Long> written = client.put("key", Slot.bytes("value")).toFuture();
        for (String counter : List.of("cache.reads.torn", "cache.locks.waited")) {
            await().atMost(PATIENCE).until(() -> registry.get(counter).counter().count() > 0);
        }
        assertThat(read).isNotDone();
        assertThat(written).isNotDone();
        Slot.WORD.setVolatile(slots, slot, Slot.free(41));
        assertThat(written.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(42);
        read.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void whereAtomicsOfTheDeviceDoNotCountTheProcessorOnlyReads() {
        client.put("key", Slot.bytes("value")).block(PATIENCE);
        server.disposeNow(PATIENCE);
        serve(false);
        assertThat(client.get("key").block(PATIENCE)).isNotNull();
        assertThatThrownBy(() -> client.put("key", new byte[0]).block(PATIENCE))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("atomics");
        assertThatThrownBy(() -> client.add(0, 1).block(PATIENCE)).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {Slot.BYTES + 1, 1 << 30, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void aLengthThatNoFrameHasEndsTheConnection(int length) throws IOException {
        try (Socket socket = connect()) {
            new DataOutputStream(socket.getOutputStream()).writeInt(length);
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(client.add(0, 1).block(PATIENCE)).isEqualTo(1);
    }

    @Test
    void lengthsInsideAFrameAreNotBelieved() throws IOException {
        try (Socket socket = connect()) {
            for (byte[] frame : List.of(
                    new byte[0],
                    new byte[] {TcpRequest.GET},
                    new byte[] {TcpRequest.PUT},
                    new byte[] {TcpRequest.PUT, 0},
                    new byte[] {TcpRequest.PUT, 0, 0, 'v'},
                    new byte[] {TcpRequest.PUT, 0, 2, 'k'},
                    new byte[] {TcpRequest.PUT, -1, -1, 'k'},
                    new byte[] {TcpRequest.ADD, 0, 0, 0, 0},
                    new byte[] {TcpRequest.ADD, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1},
                    new byte[] {9, 'k'},
                    new byte[] {-1})) {
                assertThat(answer(socket, frame)).isEqualTo(TcpAnswer.Status.REFUSED);
            }
            assertThat(answer(socket, new byte[] {TcpRequest.PUT, 0, 1, 'k'})).isEqualTo(TcpAnswer.Status.DONE);
        }
        assertThat(client.get("k").block(PATIENCE).value()).isEmpty();
    }

    @Test
    void anyBytesGetAnAnswer() throws IOException {
        Random random = new Random(1);
        try (Socket socket = connect()) {
            for (int i = 0; i < 1_000; i++) {
                byte[] frame = new byte[random.nextInt(Slot.BYTES + 1)];
                random.nextBytes(frame);
                if (frame.length > 0) {
                    frame[0] = (byte) random.nextInt(4);
                }
                assertThat(answer(socket, frame)).isNotEqualTo(TcpAnswer.Status.BUSY);
            }
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
        socket.setTcpNoDelay(true); // a frame is written in two steps
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return socket;
    }

    private static TcpAnswer.Status answer(Socket socket, byte[] frame) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(frame.length);
        out.write(frame);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        byte[] answer = in.readNBytes(in.readInt());
        return TcpAnswer.Status.values()[answer[0]];
    }
}
