package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdma.engine.ConnectionClosedException;
import io.rdma.samples.latencies.Latencies;
import io.rdma.structures.StructureException;
import io.rdma.structures.StructureException.Reason;
import io.rdma.structures.VersionedValue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import reactor.core.publisher.Mono;

/** The statuses of the failures that a healthy table does not have. */
class CacheErrorsTest {
    private record Failing(RuntimeException error) implements Cache {
        @Override
        public Mono<VersionedValue> get(byte[] key) {
            return Mono.error(error);
        }

        @Override
        public Mono<Long> put(byte[] key, byte[] value, long expected) {
            return Mono.error(error);
        }

        @Override
        public Mono<Boolean> remove(byte[] key, long expected) {
            return Mono.error(error);
        }

        @Override
        public Mono<Long> add(int counter, long addend) {
            return Mono.error(error);
        }
    }

    private static void fails(RuntimeException error, int status, String why) {
        CacheController controller = new CacheController(
                Map.of(Cache.RDMA, new Failing(error)),
                new Latencies(new SimpleMeterRegistry(), "cache.operations", List.of()));
        WebTestClient.bindToController(controller)
                .controllerAdvice(new CacheErrors())
                .build()
                .get()
                .uri("/values/key")
                .exchange()
                .expectStatus()
                .isEqualTo(status)
                .expectHeader()
                .contentTypeCompatibleWith(MediaType.TEXT_PLAIN)
                .expectBody(String.class)
                .value(text -> assertThat(text).isEqualTo(why));
    }

    @ParameterizedTest
    @CsvSource({
        "CONFLICT, 412",
        "FULL, 507",
        "NO_ATOMICS, 501",
        "BUSY, 503",
        "TOO_MANY_WRITERS, 503",
        "OTHER_LAYOUT, 500",
        "SMALL_BUFFERS, 500",
        "CORRUPT, 500"
    })
    void eachReasonHasAStatus(Reason reason, int status) {
        fails(new StructureException(reason, "why"), status, "why");
    }

    @Test
    void aLostConnectionSaysWhetherAChangeMayHaveHappened() {
        fails(new ConnectionClosedException("closed", null, true), 503, "closed: a change may have happened");
        fails(new ConnectionClosedException("closed", null, false), 503, "closed: nothing has happened");
    }
}
