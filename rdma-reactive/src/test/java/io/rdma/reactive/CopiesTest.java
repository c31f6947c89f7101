package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.types.AccessFlag;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Mono;

/**
 * Test of the copies of a message: one into registered memory, and one out of it. It counts the bytes that the calling
 * thread allocates on the heap, because a further copy would be an array as long as the message.
 */
@Timeout(180)
class CopiesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int SIZE = 64 * 1024;
    private static final int ROUNDS = 20;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private DisposableServer server;
    private RdmaConnection client;
    private RdmaConnection peer;

    @BeforeEach
    void connect() throws Exception {
        CompletableFuture<RdmaConnection> accepted = new CompletableFuture<>();
        server = RdmaServer.create()
                .device("soft0")
                .receiveBuffers(16, SIZE)
                .sendBuffers(8, SIZE)
                .handle(connection -> {
                    accepted.complete(connection);
                    return Mono.never();
                })
                .bindNow(PATIENCE);
        client = RdmaClient.create()
                .device("soft0")
                .port(server.port())
                .receiveBuffers(16, SIZE)
                .sendBuffers(8, SIZE)
                .connectNow(PATIENCE);
        peer = accepted.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        client.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
    }

    /** Returns the least allocation of several calls, so that the loading of classes does not count. */
    private long allocated(Runnable before, Runnable action, Runnable after) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            before.run();
            long begin = threads.getCurrentThreadAllocatedBytes();
            action.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - begin);
            after.run();
        }
        return least;
    }

    private void received() {
        assertThat(peer.receive(ReceivedMessage::length).blockFirst(PATIENCE)).isEqualTo(SIZE);
    }

    @Test
    void aSendMakesNoCopyOnTheHeap() {
        String text = "x".repeat(SIZE);
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer direct = ByteBuffer.allocateDirect(SIZE).put(bytes).flip();
        ByteBuffer registered = Objects.requireNonNull(
                        client.allocate(SIZE, AccessFlag.LOCAL_WRITE).block(PATIENCE))
                .segment()
                .asByteBuffer();
        Map<String, Mono<Void>> forms = new LinkedHashMap<>();
        forms.put("text", client.send(text));
        forms.put("bytes", client.send(bytes));
        forms.put("heap buffer", client.send(ByteBuffer.wrap(bytes)));
        forms.put("direct buffer", client.send(direct));
        forms.put("registered buffer", client.send(registered));
        forms.put("value", client.sendObject(text, MessageCodec.utf8()));
        forms.put("texts", client.sendString(Mono.just(text)));
        forms.put("arrays", client.sendByteArray(Mono.just(bytes)));
        forms.forEach((form, send) -> assertThat(allocated(() -> {}, () -> send.block(PATIENCE), this::received))
                .as(form)
                .isLessThan(SIZE / 4));
    }

    /** Sends a message, and waits until it has arrived, so that the thread that receives decodes it. */
    private void arrive() {
        client.send(new byte[SIZE]).block(PATIENCE);
        await().atMost(PATIENCE).until(() -> peer.endpoint().outstandingReceives() == 1);
    }

    @Test
    void aReceiveMakesOneCopyAndATextIsMadeOfThat() {
        Runnable nothing = () -> {};
        assertThat(allocated(this::arrive, this::received, nothing)).isLessThan(SIZE / 4);
        assertThat(allocated(this::arrive, () -> peer.receive().asByteArray().blockFirst(PATIENCE), nothing))
                .isBetween((long) SIZE, SIZE * 5L / 4);
        assertThat(allocated(this::arrive, () -> peer.receive().asByteBuffer().blockFirst(PATIENCE), nothing))
                .isBetween((long) SIZE, SIZE * 5L / 4);
        assertThat(allocated(this::arrive, () -> peer.receive().asString().blockFirst(PATIENCE), nothing))
                .isBetween(2L * SIZE, SIZE * 9L / 4);
    }
}
