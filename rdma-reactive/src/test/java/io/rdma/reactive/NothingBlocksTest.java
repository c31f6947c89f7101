package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.verbs.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import java.time.Duration;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.blockhound.BlockHound;
import reactor.blockhound.BlockingOperationError;
import reactor.blockhound.integration.BlockHoundIntegration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** BlockHound watches the loop's thread through everything that a connection does. It rewrites the JDK, so this class runs in a process of its own. */
class NothingBlocksTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void theIntegrationIsAService() {
        assertThat(ServiceLoader.load(BlockHoundIntegration.class))
                .hasAtLeastOneElementOfType(RdmaBlockHoundIntegration.class);
    }

    @Test
    void nothingOfOursBlocksTheLoop() throws Exception {
        AtomicReference<Throwable> blocked = new AtomicReference<>();
        BlockHound.builder()
                .with(new RdmaBlockHoundIntegration())
                .blockingMethodCallback(method -> {
                    BlockingOperationError error = new BlockingOperationError(method);
                    blocked.compareAndSet(null, error);
                    throw error;
                })
                .install();
        BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
        DisposableServer server = RdmaServer.create()
                .device("soft0")
                .host("127.0.0.1")
                .receiveBuffers(16, 1024)
                .handle(connection -> {
                    accepted.add(connection);
                    return Mono.never();
                })
                .bindNow(PATIENCE);
        RdmaConnection client = RdmaClient.create()
                .device("soft0")
                .host("127.0.0.1")
                .port(server.port())
                .receiveBuffers(16, 1024)
                .sendBuffers(4, 1024)
                .connectNow(PATIENCE);
        RdmaConnection peer = accepted.take();

        assertThat(Flux.merge(
                                client.send(Flux.range(0, 500), (n, target) -> 1 + n % 1000)
                                        .cast(Integer.class),
                                peer.receive(message -> message.length()).take(500))
                        .count()
                        .block(PATIENCE))
                .isEqualTo(500);
        client.send(100_000, target -> {})
                .and(peer.receive(message -> message.length()).next())
                .block(PATIENCE);
        MemoryRegion there = Objects.requireNonNull(
                peer.allocate(8, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_ATOMIC)
                        .block(PATIENCE));
        RegisteredBuffer buffer = Objects.requireNonNull(client.acquire().block(PATIENCE));
        client.write(buffer.limit(8), there.remote())
                .then(client.read(there.remote(), buffer))
                .then(client.fetchAndAdd(there.remote(), 1))
                .then(client.compareAndSwap(there.remote(), 1, 2))
                .repeat(100)
                .blockLast(PATIENCE);
        buffer.close();
        for (int i = 0; i < 20; i++) {
            client.send(8, target -> {}).subscribe().dispose();
        }
        assertThat(blocked).hasValue(null);

        // And a user's mistake there is refused, so that it is seen.
        assertThatThrownBy(() -> client.fetchAndAdd(there.remote(), 1)
                        .map(value -> Objects.requireNonNull(
                                Mono.delay(Duration.ofMillis(1)).block()))
                        .block(PATIENCE))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("block");
        client.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
        Throwable first = blocked.get();
        if (first != null) {
            throw new AssertionError("something blocked the loop", first);
        }
    }
}
