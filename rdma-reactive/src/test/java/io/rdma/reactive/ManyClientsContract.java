package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.engine.ResourceOptions;
import io.rdma.internal.engine.DeviceResources;
import io.rdma.testing.TestDevice;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Contract of a server with default options and as many clients as it promises, the same on every device. */
abstract class ManyClientsContract {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final int AT_ONCE = 32;
    /** Upper bound for one end of an idle connection: about a tenth of 136 receive and 64 send buffers of 8 KiB. */
    private static final long IDLE_BYTES = 164_883;

    /** Returns the name of the device. */
    abstract String device();

    /** Returns the number of clients. */
    abstract int clients();

    private static RdmaServer server(RdmaResources resources) {
        return RdmaServer.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(0)
                .options(o -> o.withHandshakeTimeout(PATIENCE)) // under emulation all of them take long
                .handle(connection -> connection
                        .receive(message -> message.toByteArray())
                        .concatMap(bytes -> send(connection, bytes))
                        .then());
    }

    private static Mono<RdmaConnection> client(RdmaResources resources, DisposableServer server) {
        return RdmaClient.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(server.port())
                .options(o -> o.withHandshakeTimeout(PATIENCE))
                .connect();
    }

    @Test
    void aDefaultServerTakesAsManyClientsAsItPromisesAndEchoesToEach() {
        try (RdmaResources servers = RdmaResources.open(TestDevice.assumed(device()));
                RdmaResources own = RdmaResources.open(TestDevice.assumed(device()))) {
            DisposableServer server = server(servers).bindNow(PATIENCE);
            List<RdmaConnection> connections = Flux.range(0, clients())
                    .flatMap(i -> client(own, server), AT_ONCE)
                    .collectList()
                    .block(PATIENCE);
            assertThat(connections).hasSize(clients());
            assertThat(servers.registrationBudget().registered() / clients()).isLessThanOrEqualTo(IDLE_BYTES);
            assertThat(own.registrationBudget().registered() / clients()).isLessThanOrEqualTo(IDLE_BYTES);
            List<String> echoes = Flux.range(0, clients())
                    .flatMap(i -> echo(connections.get(i), "client " + i), AT_ONCE)
                    .sort()
                    .collectList()
                    .block(PATIENCE);
            assertThat(echoes)
                    .containsExactlyElementsOf(Flux.range(0, clients())
                            .map(i -> "client " + i)
                            .sort()
                            .toIterable());
            server.disposeNow(PATIENCE);
            await().atMost(PATIENCE).until(() -> servers.endpoints().isEmpty());
            assertThat(DeviceResources.of(servers).loops().getFirst().freeEntries())
                    .isEqualTo(DeviceResources.of(servers).loops().getFirst().entries());
        }
    }

    private static Mono<String> echo(RdmaConnection connection, String text) {
        return send(connection, text.getBytes())
                .then(connection
                        .receive(message -> new String(message.toByteArray()))
                        .next());
    }

    private static Mono<Void> send(RdmaConnection to, byte[] bytes) {
        return to.send(bytes.length, target -> target.copyFrom(MemorySegment.ofArray(bytes)));
    }

    @Test
    void aClientThatIsRefusedLeavesAWarningThatNamesTheOption() {
        Warnings warnings = new Warnings();
        Logger log = Logger.getLogger("io.rdma");
        log.addHandler(warnings);
        try (RdmaResources servers = RdmaResources.open(
                        TestDevice.assumed(device()),
                        ResourceOptions.DEFAULT.withCompletionQueueEntries(512).withMaxCompletionQueueEntries(512));
                RdmaResources own = RdmaResources.open(TestDevice.assumed(device()))) {
            DisposableServer server = server(servers).bindNow(PATIENCE);
            Optional<Throwable> refused = Flux.range(0, 100) // the device may grant more entries than requested
                    .concatMap(i -> client(own, server))
                    .then(Mono.just(Optional.<Throwable>empty()))
                    .onErrorResume(RdmaConnectException.class, error -> Mono.just(Optional.of(error)))
                    .block(PATIENCE);
            assertThat(refused).isPresent();
            await().atMost(PATIENCE).until(() -> warnings.any("withMaxCompletionQueueEntries"));
            server.disposeNow(PATIENCE);
        } finally {
            log.removeHandler(warnings);
        }
    }

    /** Log handler that keeps the warnings. */
    private static final class Warnings extends Handler {
        private final List<String> texts = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord record) {
            if (record.getLevel() == Level.WARNING) {
                texts.add(record.getMessage());
            }
        }

        boolean any(String part) {
            return texts.stream().anyMatch(text -> text.contains(part));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
