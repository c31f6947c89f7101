package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rdma.testing.JavaProcess;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The service over HTTP, as one command starts it, with its memory in another process. */
@Timeout(600)
class RemoteCacheTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static JavaProcess service;
    private static WebTestClient client;
    private static WebClient web;

    @BeforeAll
    static void start() throws Exception {
        service = new JavaProcess(RemoteCache.class, "--server.port=0");
        String address = service.await(RemoteCache.READY);
        client = WebTestClient.bindToServer()
                .baseUrl(address)
                .responseTimeout(PATIENCE)
                .build();
        web = WebClient.create(address);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        List<ProcessHandle> memory = service.children();
        service.terminate().ended(143).close();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(memory)
                        .as("the process with the memory ends with the service")
                        .isNotEmpty()
                        .noneMatch(ProcessHandle::isAlive));
    }

    private static WebTestClient.ResponseSpec put(String key, String value) {
        return client.put().uri("values/{key}", key).bodyValue(value).exchange();
    }

    @Test
    void aValueIsThereUntilItIsReplaced() {
        client.get().uri("values/nothing").exchange().expectStatus().isNotFound();
        put("greeting", "hello").expectStatus().isNoContent().expectHeader().valueEquals("ETag", "\"1\"");
        put("greeting", "hello again").expectHeader().valueEquals("ETag", "\"2\"");
        client.get()
                .uri("values/greeting")
                .exchange()
                .expectStatus()
                .isOk()
                .expectHeader()
                .valueEquals("ETag", "\"2\"")
                .expectBody(String.class)
                .isEqualTo("hello again");
        client.put()
                .uri("values/greeting")
                .contentType(MediaType.APPLICATION_FORM_URLENCODED) // as curl -d
                .bodyValue("hello=again&again")
                .exchange()
                .expectStatus()
                .isNoContent();
        client.get().uri("values/greeting").exchange().expectBody(String.class).isEqualTo("hello=again&again");
        put("empty", "").expectStatus().isNoContent();
        client.get()
                .uri("values/empty")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .isEmpty();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        String most = "x".repeat(Slot.CAPACITY - "big".length());
        put("big", most).expectStatus().isNoContent();
        client.get().uri("values/big").exchange().expectBody(String.class).isEqualTo(most);
        put("big", most + "x").expectStatus().isBadRequest();
        put("big", "x".repeat(100_000)).expectStatus().isEqualTo(HttpStatus.CONTENT_TOO_LARGE);
        client.post().uri("counters/64").exchange().expectStatus().isBadRequest();
        client.post().uri("counters/x").exchange().expectStatus().isBadRequest();
    }

    @Test
    void nobodyLosesACount() {
        Flux.range(0, 200)
                .flatMap(i -> web.post().uri("counters/7?by=3").retrieve().bodyToMono(Long.class), 16)
                .blockLast(PATIENCE);
        client.post().uri("counters/7?by=0").exchange().expectBody(Long.class).isEqualTo(600L);
    }

    /** Values are all of one letter, so a torn read would show. */
    @Test
    void whoReadsWhileOthersWriteSeesOneOfTheValues() {
        put("shared", "-").expectStatus().isNoContent();
        Mono<Void> writing = Flux.range(0, 200)
                .flatMap(
                        i -> web.put()
                                .uri("values/shared")
                                .bodyValue(Character.toString('a' + i % 26).repeat(900))
                                .retrieve()
                                .toBodilessEntity(),
                        4)
                .then();
        Mono<List<String>> reading = Flux.range(0, 400)
                .flatMap(i -> web.get().uri("values/shared").retrieve().bodyToMono(String.class), 8)
                .collectList();
        List<String> read = Objects.requireNonNull(
                        Mono.zip(writing.thenReturn(true), reading).block(PATIENCE))
                .getT2();
        assertThat(read)
                .hasSize(400)
                .allSatisfy(value -> assertThat(value.chars().distinct()).hasSize(1));
        assertThat(web.get()
                        .uri("values/shared")
                        .retrieve()
                        .toBodilessEntity()
                        .block(PATIENCE)
                        .getHeaders()
                        .getETag())
                .as("every write had its turn")
                .isEqualTo("\"201\"");
    }

    /** Whoever asked for a put and went away leaves no slot locked. */
    @Test
    void aClientThatGoesAwayDoesNotKeepASlot() {
        for (int i = 0; i < 30; i++) {
            web.put()
                    .uri("values/left")
                    .bodyValue("x")
                    .retrieve()
                    .toBodilessEntity()
                    .subscribe()
                    .dispose();
        }
        put("left", "last").expectStatus().isNoContent();
        client.get().uri("values/left").exchange().expectStatus().isOk();
    }

    @Test
    void statisticsComeAsEvents() {
        put("counted", "x").expectStatus().isNoContent();
        Map<String, Object> snapshot = web.get()
                .uri("statistics")
                .accept(MediaType.TEXT_EVENT_STREAM)
                .retrieve()
                .bodyToFlux(new ParameterizedTypeReference<Map<String, Object>>() {})
                .filter(one -> one.get("operations") instanceof List<?> operations
                        && operations.stream()
                                .anyMatch(operation -> operation instanceof Map<?, ?> map
                                        && map.get("name").equals("put")
                                        && ((Number) map.get("total")).longValue() > 0))
                .blockFirst(PATIENCE);
        assertThat(snapshot).containsKeys("tornReads", "lockWaits");
    }

    @Test
    void healthAndMetrics() {
        put("measured", "x").expectStatus().isNoContent();
        assertThat(text("actuator/health"))
                .contains("\"rdma\"")
                .contains("\"device\":\"soft0\"")
                .contains("ACTIVE");
        assertThat(text("actuator/metrics/cache.operations?tag=operation:put")).contains("\"COUNT\"");
        assertThat(text("actuator/metrics/rdma.loop.requests.posted")).contains("soft0");
    }

    private static String text(String path) {
        return new String(
                Objects.requireNonNull(client.get()
                        .uri(path)
                        .exchange()
                        .expectStatus()
                        .isOk()
                        .expectBody()
                        .returnResult()
                        .getResponseBody()),
                StandardCharsets.UTF_8);
    }
}
