package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma.connect.RdmaResources;
import io.rdma.testing.FreeMemory;
import io.rdma.testing.TestDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/**
 * Largest message that a connection allows, by a {@code Mono}. It fills twice its length of memory, and is skipped on
 * a machine that has less.
 */
abstract class LargestMessageContract {
    private static final int LENGTH = 1 << 28; // the engine's test sends 1 GiB
    private static final int PAGE = 4096;
    private static final ValueLayout.OfInt COUNT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    abstract String device();

    private static void fill(MemorySegment memory) {
        for (int i = 0; i < memory.byteSize(); i += PAGE) {
            memory.set(ValueLayout.JAVA_INT, i, i);
        }
    }

    private static int filled(MemorySegment memory) {
        int pages = 0;
        for (int i = 0; i < memory.byteSize(); i += PAGE) {
            pages += memory.get(ValueLayout.JAVA_INT, i) == i ? 1 : 0;
        }
        return pages;
    }

    @Test
    void theLargestMessageArrivesWhole() {
        FreeMemory.assume(2L * LENGTH);
        try (RdmaResources resources = RdmaResources.open(TestDevice.assumed(device()))) {
            DisposableServer server = RdmaServer.create()
                    .resources(resources)
                    .host(TestDevice.host(device()))
                    .options(o -> o.withMaxMessageSize(LENGTH))
                    .handle(connection -> connection
                            .receive(message -> filled(message.segment()))
                            .concatMap(pages -> connection.send(Integer.BYTES, target -> target.set(COUNT, 0, pages)))
                            .then())
                    .bindNow(PATIENCE);
            RdmaConnection client = RdmaClient.create()
                    .resources(resources)
                    .host(TestDevice.host(device()))
                    .port(server.port())
                    .options(o -> o.withMaxMessageSize(LENGTH))
                    .connectNow(PATIENCE);
            Mono<Integer> answer =
                    client.receive(message -> message.segment().get(COUNT, 0)).next();
            client.send(LENGTH, LargestMessageContract::fill).block(PATIENCE);
            assertThat(answer.block(PATIENCE)).isEqualTo(LENGTH / PAGE);
            assertThatThrownBy(() -> client.send(LENGTH + 1, target -> {}).block(PATIENCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxMessageSize");
            client.disposeNow(PATIENCE);
            server.disposeNow(PATIENCE);
        }
    }
}
