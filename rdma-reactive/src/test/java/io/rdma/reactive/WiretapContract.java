package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.ReceivedMessage;
import io.rdma.buffer.RegisteredBuffer;
import io.rdma.testing.CapturedLog;
import io.rdma.testing.TestDevice;
import io.rdma.types.AccessFlag;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Contract of the wiretap, the same on every device. */
abstract class WiretapContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String CATEGORY = "io.rdma.test.wiretap";

    private final Logger logger = Logger.getLogger(CATEGORY);
    private CapturedLog log;
    private DisposableServer server;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void bind() {
        TestDevice.assumed(device());
        logger.setLevel(Level.FINE);
        log = new CapturedLog(CATEGORY);
        server = RdmaServer.create()
                .device(device())
                .host("127.0.0.1")
                .handle(connection ->
                        connection.sendByteArray(connection.receive().asByteArray()))
                .bindNow(PATIENCE);
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.disposeNow(PATIENCE);
            log.close();
            logger.setLevel(null);
        }
    }

    private RdmaClient client() {
        return RdmaClient.create().device(device()).host("127.0.0.1").port(server.port());
    }

    private RdmaConnection tapped() {
        return client().wiretap(CATEGORY).connectNow(PATIENCE);
    }

    @Test
    void eventsAndMessagesAreLogged() {
        RdmaConnection connection = tapped();
        assertThat(log.has("FINE", connection.toString(), "CONNECTED")).isTrue();
        connection.send("hello, wire!").block(PATIENCE);
        assertThat(connection.receive().asString().next().block(PATIENCE)).isEqualTo("hello, wire!");
        for (String direction : new String[] {"SEND", "RECEIVED"}) {
            assertThat(log.has(
                            "FINE",
                            direction + " 12 bytes",
                            "0000  68 65 6c 6c 6f 2c 20 77 69 72 65 21",
                            "  hello, wire!"))
                    .as(direction)
                    .isTrue();
        }
        connection.disposeNow(PATIENCE);
        await().atMost(PATIENCE).until(() -> log.has("FINE", connection.toString(), "CLOSED"));
    }

    @Test
    void aLongMessageIsCutAndControlCharactersAreDots() {
        RdmaConnection connection = tapped();
        byte[] bytes = new byte[300];
        bytes[0] = '\n';
        bytes[255] = 'L';
        bytes[256] = 'Z';
        connection.send(bytes).block(PATIENCE);
        String line = log.lines().stream()
                .filter(one -> one.contains("SEND 300 bytes"))
                .findFirst()
                .orElseThrow();
        assertThat(line)
                .contains("0000  0a 00", "00f0  00", "L", "44 more bytes")
                .doesNotContain("Z", "0100  ");
        connection.disposeNow(PATIENCE);
    }

    @Test
    void everyWayToSendAndToReceiveIsLoggedOnce() {
        RdmaConnection connection = tapped();
        byte[] bytes = "eleven bits".getBytes(StandardCharsets.US_ASCII);
        MemoryRegion region = Objects.requireNonNull(
                connection.allocate(64, AccessFlag.LOCAL_WRITE).block(PATIENCE));
        region.segment().asByteBuffer().put(bytes);
        RegisteredBuffer leased = Objects.requireNonNull(connection.acquire().block(PATIENCE));
        leased.segment().asByteBuffer().put(bytes);
        leased.limit(bytes.length);
        Flux.just(
                        connection.send("eleven bits"),
                        connection.send(bytes),
                        connection.send(ByteBuffer.wrap(bytes)),
                        connection.send(
                                region.segment().asSlice(0, bytes.length).asByteBuffer()),
                        connection.send(leased),
                        connection.sendWithImmediate(leased, 7),
                        connection.sendObject(bytes, MessageCodec.bytes()),
                        connection.sendString(Mono.just("eleven bits")),
                        connection.sendByteArray(Mono.just(bytes)),
                        connection.send(Mono.just(bytes), MessageCodec.bytes()))
                .concatMap(send -> send)
                .blockLast(PATIENCE);
        leased.close();
        assertThat(connection.receive().asByteArray().take(5).count().block(PATIENCE))
                .isEqualTo(5);
        connection.receiveOwned().take(5).doOnNext(ReceivedMessage::close).blockLast(PATIENCE);
        assertThat(log.lines())
                .filteredOn(line -> line.contains(" SEND") && line.contains("eleven bits"))
                .hasSize(10);
        assertThat(log.lines())
                .filteredOn(line -> line.contains("RECEIVED 11 bytes"))
                .hasSize(10);
        assertThat(log.has("SEND_WITH_IMM 7 11 bytes")).isTrue();
        connection.disposeNow(PATIENCE);
    }

    @Test
    void failuresAndOneSidedOperationsAreLogged() {
        RdmaConnection connection = tapped();
        RegisteredBuffer leased = Objects.requireNonNull(connection.acquire().block(PATIENCE));
        RemoteMemory somewhere = new RemoteMemory(4096, 8, 1);
        assertThatThrownBy(() -> connection.write(leased, somewhere).block(PATIENCE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(log.has("WRITE to", "failed: java.lang.IllegalArgumentException"))
                .isTrue();
        leased.close();
        assertThatThrownBy(() -> connection.send(leased).block(PATIENCE)).isInstanceOf(IllegalStateException.class);
        assertThat(log.has("SEND failed: java.lang.IllegalStateException")).isTrue();
        connection.disposeNow(PATIENCE);
    }

    @Test
    void aWiretapIsOffUntilItIsSetAndAfterItIsRemoved() {
        for (RdmaClient client :
                new RdmaClient[] {client(), client().wiretap(CATEGORY).wiretap(false)}) {
            RdmaConnection connection = client.connectNow(PATIENCE);
            assertThat(connection).isExactlyInstanceOf(DefaultRdmaConnection.class);
            connection.disposeNow(PATIENCE);
        }
        logger.setLevel(Level.INFO);
        RdmaConnection quiet = tapped();
        quiet.send("quiet").block(PATIENCE);
        assertThat(quiet.receive().asString().next().block(PATIENCE)).isEqualTo("quiet");
        assertThat(log.lines()).isEmpty();
        logger.setLevel(Level.FINE);
        quiet.send("loud").block(PATIENCE);
        assertThat(log.has("SEND 4 bytes", "loud")).isTrue();
        quiet.disposeNow(PATIENCE);
    }

    @Test
    void theCategoryOfAServerIsItsClass() {
        Logger ofServers = Logger.getLogger(RdmaServer.class.getName());
        ofServers.setLevel(Level.FINE);
        try (CapturedLog captured = new CapturedLog(RdmaServer.class.getName())) {
            DisposableServer logged = RdmaServer.create()
                    .device(device())
                    .host("127.0.0.1")
                    .wiretap(true)
                    .handle(connection -> connection.send("served"))
                    .bindNow(PATIENCE);
            RdmaConnection connection = client().port(logged.port()).connectNow(PATIENCE);
            assertThat(connection.receive().asString().next().block(PATIENCE)).isEqualTo("served");
            assertThat(captured.has("CONNECTED")).isTrue();
            assertThat(captured.has("SEND 6 bytes", "served")).isTrue();
            connection.disposeNow(PATIENCE);
            logged.disposeNow(PATIENCE);
        } finally {
            ofServers.setLevel(null);
        }
    }
}
