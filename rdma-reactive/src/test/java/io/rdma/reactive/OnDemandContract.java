package io.rdma.reactive;

import static io.rdma.reactive.ContractPair.LARGE;
import static io.rdma.reactive.ContractPair.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma.buffer.RegisteredBuffer;
import io.rdma.testing.TestDevice;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.function.Tuple2;

/** Messages whose memory is paged on demand. Skipped on a device that lacks that. */
abstract class OnDemandContract {
    private static final int MANY = 100;

    private ContractPair pair;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeEach
    void connect() throws InterruptedException {
        pair = new ContractPair(device(), TestDevice.onDemand(device()));
    }

    @AfterEach
    void nothingIsLeft() {
        if (pair != null) {
            pair.close();
        }
    }

    /** Returns what is received while something is sent, and waits for both. */
    private static <T> T arrives(Mono<T> received, Mono<Void> sent) {
        return Objects.requireNonNull(
                received.zipWith(sent.thenReturn(true)).map(Tuple2::getT1).block(PATIENCE));
    }

    @Test
    void aStreamOfSmallAndLargeMessagesArrives() {
        List<String> texts = IntStream.range(0, MANY)
                .mapToObj(i -> i + "-".repeat(i % 10 == 0 ? LARGE / 2 : i))
                .toList();
        assertThat(arrives(
                        pair.peer.receive().asString().take(MANY).collectList(),
                        pair.client.sendString(Flux.fromIterable(texts))))
                .isEqualTo(texts);
    }

    @Test
    void memoryOfTheApplicationIsSent() {
        try (Arena arena = Arena.ofShared();
                RegisteredBuffer lease = Objects.requireNonNull(pair.client
                        .register(arena.allocate(LARGE).fill((byte) 'x'))
                        .block(PATIENCE))) {
            assertThat(arrives(pair.peer.receive().asString().next(), pair.client.send(lease)))
                    .isEqualTo("x".repeat(LARGE));
        }
    }
}
