package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.testing.JavaProcess;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.RdmaDevices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.test.web.reactive.server.WebTestClient;

/** What happens when one of the two processes goes away. */
@Timeout(600)
class CacheMemoryTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private RdmaResources resources;
    private DisposableServer memory;

    @BeforeEach
    void start() {
        resources = RdmaResources.open(RdmaDevices.named("soft0"));
        memory = new CacheMemory(resources).bind("127.0.0.1", 0);
    }

    @AfterEach
    void stop() {
        memory.disposeNow(PATIENCE);
        resources.close();
    }

    /** A connection, the slots, and its number. */
    private record Client(RdmaConnection connection, RemoteMemory slots, int owner) {
        long word() {
            RegisteredBuffer buffer =
                    Objects.requireNonNull(connection.acquire().block(PATIENCE));
            try (buffer) {
                connection
                        .read(slots.slice(0, Long.BYTES), buffer.limit(Long.BYTES))
                        .block(PATIENCE);
                return buffer.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
            }
        }
    }

    private Client connect() {
        RdmaConnection connection = RdmaClient.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(memory.port())
                .connectNow(PATIENCE);
        return Objects.requireNonNull(connection
                .receive(message -> {
                    MemorySegment greeting = message.segment();
                    return new Client(
                            connection,
                            RemoteMemory.decode(greeting),
                            greeting.get(ValueLayout.JAVA_INT_UNALIGNED, 2L * RemoteMemory.ENCODED_BYTES));
                })
                .next()
                .block(PATIENCE));
    }

    @Test
    void aWriterThatIsGoneLeavesNoSlotLocked() {
        Client writer = connect();
        Client other = connect();
        assertThat(writer.owner()).isNotEqualTo(other.owner());
        writer.connection()
                .compareAndSwap(writer.slots().slice(0, Long.BYTES), 0, writer.owner())
                .block(PATIENCE);
        assertThat(other.word()).isEqualTo(writer.owner());
        writer.connection().disposeNow(PATIENCE);
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(other.word()).isEqualTo(Slot.free(1)));
        other.connection().disposeNow(PATIENCE);
    }

    @Test
    void theServiceFindsAMemoryThatIsBack() throws Exception {
        try (JavaProcess service =
                new JavaProcess(RemoteCache.class, "--server.port=0", "--rdma.client.port=" + memory.port())) {
            WebTestClient client = WebTestClient.bindToServer()
                    .baseUrl(service.await(RemoteCache.READY))
                    .responseTimeout(PATIENCE)
                    .build();
            client.put()
                    .uri("values/key")
                    .bodyValue("v")
                    .exchange()
                    .expectStatus()
                    .isNoContent();
            int port = memory.port();
            memory.disposeNow(PATIENCE);
            client.get().uri("values/key").exchange().expectStatus().isEqualTo(503);
            memory = new CacheMemory(resources).bind("127.0.0.1", port);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> client.get()
                            .uri("values/key")
                            .exchange()
                            .expectStatus()
                            .isNotFound());
            client.put()
                    .uri("values/key")
                    .bodyValue("v")
                    .exchange()
                    .expectStatus()
                    .isNoContent();
        }
    }
}
