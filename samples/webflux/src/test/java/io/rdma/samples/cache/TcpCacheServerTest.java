package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.RdmaResources;
import io.rdma.structures.StructureException;
import io.rdma.structures.TableMemory;
import io.rdma.verbs.RdmaDevices;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;

/** Table and counters over TCP: answers, their order, failures, and frames that the sample's client does not send. */
@Timeout(600)
class TcpCacheServerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final byte[] KEY = {'k'};

    /** The expected version of a change that expects none, in a frame. */
    private static final byte[] ANY = {-1, -1, -1, -1, -1, -1, -1, -1};

    private final RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
    private final CacheMemory memory = new CacheMemory(resources, CacheMemory.TABLE);
    private DisposableServer server;
    private TcpCacheClient client;

    @BeforeEach
    void start() {
        serve(memory.table());
    }

    @AfterEach
    void stop() {
        server.disposeNow(PATIENCE);
        resources.close();
    }

    private void serve(TableMemory table) {
        server = new TcpCacheServer(table, memory.counters()).bind("127.0.0.1", 0);
        client = new TcpCacheClient("127.0.0.1", server.port());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void counters() {
        assertThat(client.add(63, 5).block(PATIENCE)).isEqualTo(5);
        assertThat(client.add(63, -7).block(PATIENCE)).isEqualTo(-2);
        assertThatThrownBy(() -> client.add(64, 1).block(PATIENCE)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void answersComeToTheirRequests() {
        List<String> keys = Flux.range(0, 16).map(i -> "key" + i).collectList().block(PATIENCE);
        assertThat(keys).hasSize(16);
        Flux.fromIterable(keys)
                .flatMap(key -> client.put(bytes(key), bytes("value of " + key), Cache.ANY))
                .blockLast(PATIENCE);
        List<String> wrong = Flux.range(0, 2_000)
                .map(i -> keys.get(i % 16))
                .flatMap(key -> client.get(bytes(key)).map(found -> key + " has " + new String(found.value())), 64)
                .filter(line -> !line.matches("(key\\d+) has value of \\1"))
                .collectList()
                .block(PATIENCE);
        assertThat(wrong).isEmpty();
    }

    /** The client fails as the table of the memory process does. */
    @ParameterizedTest
    @EnumSource
    void aFailureOfTheTableComesWithItsReason(StructureException.Reason reason) {
        server.disposeNow(PATIENCE);
        StructureException failure = new StructureException(reason, "why");
        serve((TableMemory) Proxy.newProxyInstance(
                TableMemory.class.getClassLoader(),
                new Class<?>[] {TableMemory.class},
                (table, method, arguments) -> CompletableFuture.failedFuture(failure)));
        for (Mono<?> operation : List.of(
                client.get(KEY),
                client.put(KEY, KEY, Cache.ANY),
                client.put(KEY, KEY, 1),
                client.remove(KEY, Cache.ANY),
                client.remove(KEY, 1))) {
            assertThatThrownBy(() -> operation.block(PATIENCE))
                    .isInstanceOfSatisfying(
                            StructureException.class,
                            e -> assertThat(e.reason()).isEqualTo(reason))
                    .hasMessage("why");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {TcpFrames.LONGEST + 1, 1 << 30, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
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
                    frame(TcpRequest.PUT, ANY),
                    frame(TcpRequest.PUT, ANY, 0),
                    frame(TcpRequest.PUT, ANY, 0, 0, 'v'),
                    frame(TcpRequest.PUT, ANY, 0, 2, 'k'),
                    frame(TcpRequest.PUT, ANY, -1, -1, 'k'),
                    new byte[] {TcpRequest.ADD, 0, 0, 0, 0},
                    new byte[] {TcpRequest.ADD, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 1},
                    new byte[] {TcpRequest.REMOVE, 0, 0, 0, 0, 0, 0, 0},
                    frame(TcpRequest.REMOVE, ANY),
                    new byte[] {9, 'k'},
                    new byte[] {-1})) {
                assertThat(answer(socket, frame)).isEqualTo(TcpAnswer.Status.REFUSED);
            }
            assertThat(answer(socket, frame(TcpRequest.PUT, ANY, 0, 1, 'k'))).isEqualTo(TcpAnswer.Status.DONE);
        }
        assertThat(client.get(KEY).block(PATIENCE).value()).isEmpty();
    }

    @Test
    void anyBytesGetAnAnswer() throws IOException {
        Random random = new Random(1);
        try (Socket socket = connect()) {
            for (int i = 0; i < 1_000; i++) {
                byte[] frame = new byte[random.nextInt(TcpFrames.LONGEST + 1)];
                random.nextBytes(frame);
                if (frame.length > 0) {
                    frame[0] = (byte) random.nextInt(5);
                }
                answer(socket, frame); // has a known status
            }
        }
    }

    private static byte[] frame(byte operation, byte[] expected, int... rest) {
        ByteBuffer frame = ByteBuffer.allocate(1 + expected.length + rest.length)
                .put(operation)
                .put(expected);
        for (int one : rest) {
            frame.put((byte) one);
        }
        return frame.array();
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
