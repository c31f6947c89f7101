package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
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

    /** RDMA and TCP reach the same table and counters. */
    @Test
    void eachTransportReadsWhatTheOtherWrote() {
        for (String[] pair : new String[][] {{"rdma", "tcp"}, {"tcp", "rdma"}}) {
            String value = "by " + pair[0];
            client.put()
                    .uri("values/both?over=" + pair[0])
                    .bodyValue(value)
                    .exchange()
                    .expectStatus()
                    .isNoContent();
            for (String reader : pair) {
                client.get()
                        .uri("values/both?over=" + reader)
                        .exchange()
                        .expectHeader()
                        .valueEquals("ETag", pair[0].equals("rdma") ? "\"1\"" : "\"2\"")
                        .expectHeader()
                        .valueMatches("Server-Timing", "cache;dur=[0-9.E-]+")
                        .expectBody(String.class)
                        .isEqualTo(value);
            }
        }
        client.post()
                .uri("counters/9?by=2&over=tcp")
                .exchange()
                .expectBody(Long.class)
                .isEqualTo(2L);
        client.post()
                .uri("counters/9?by=3&over=rdma")
                .exchange()
                .expectBody(Long.class)
                .isEqualTo(5L);
        client.post()
                .uri("counters/9?by=-1&over=tcp")
                .exchange()
                .expectBody(Long.class)
                .isEqualTo(4L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rdma", "tcp"})
    void aRefusalSaysWhy(String over) {
        refused(client.get().uri("values/{key}?over=" + over, ""), 400, "the key is empty");
        refused(client.put().uri("values/?over=" + over).bodyValue("v"), 400, "the key is empty");
        refused(client.get().uri("values/{key}?over=" + over, "nothing"), 404, "no value");
        String longKey = "k".repeat(CacheMemory.LIMIT + 1);
        refused(client.get().uri("values/{key}?over=" + over, longKey), 400, "a key of 1001 bytes");
        refused(client.put().uri("values/{key}?over=" + over, longKey).bodyValue("v"), 400, "a key of 1001 bytes");
        String longValue = "v".repeat(CacheMemory.LIMIT);
        refused(client.put().uri("values/k?over=" + over).bodyValue(longValue), 400, "a value of 1000 bytes");
        refused(client.put().uri("values/k?over=" + over).bodyValue(longValue + "v"), 413, "more than 1000 bytes");
        refused(client.post().uri("counters/64?over=" + over), 400, "counters are 0 to 63");
        refused(client.post().uri("counters/-1?over=" + over), 400, "counters are 0 to 63");
        refused(client.post().uri("counters/x?over=" + over), 400, "Type mismatch");
        refused(client.get().uri("values/k?over=x" + over), 400, "over is rdma or tcp");
        refused(client.delete().uri("values/{key}?over=" + over, "nothing"), 404, "no value");
    }

    private static void refused(WebTestClient.RequestHeadersSpec<?> request, int status, String why) {
        request.exchange()
                .expectStatus()
                .isEqualTo(status)
                .expectHeader()
                .contentTypeCompatibleWith(MediaType.TEXT_PLAIN)
                .expectBody(String.class)
                .value(text -> assertThat(text).contains(why));
    }

    @Test
    void nobodyLosesACount() {
        Flux.range(0, 200)
                .flatMap(
                        i -> web.post()
                                .uri("counters/7?by=3&over=" + either(i))
                                .retrieve()
                                .bodyToMono(Long.class),
                        16)
                .blockLast(PATIENCE);
        client.post().uri("counters/7?by=0").exchange().expectBody(Long.class).isEqualTo(600L);
    }

    /** Half of the requests of a load go over each transport. */
    private static String either(int i) {
        return i % 2 == 0 ? "rdma" : "tcp";
    }

    /** Values are all of one letter, so a torn read would show. */
    @Test
    void whoReadsWhileOthersWriteSeesOneOfTheValues() {
        put("shared", "-").expectStatus().isNoContent();
        Mono<Void> writing = Flux.range(0, 200)
                .flatMap(
                        i -> web.put()
                                .uri("values/shared?over=" + either(i))
                                .bodyValue(Character.toString('a' + i % 26).repeat(900))
                                .retrieve()
                                .toBodilessEntity(),
                        4)
                .then();
        Mono<List<String>> reading = Flux.range(0, 400)
                .flatMap(
                        i -> web.get()
                                .uri("values/shared?over=" + either(i))
                                .retrieve()
                                .bodyToMono(String.class),
                        8)
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

    /** Browsers that go away while they wait for a put leave no bucket claimed. */
    @Test
    void aClientThatGoesAwayKeepsNothing() {
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
        client.put().uri("values/counted?over=tcp").exchange().expectStatus().isNoContent();
        List<Map<String, Object>> puts = web.get()
                .uri("statistics")
                .accept(MediaType.TEXT_EVENT_STREAM)
                .retrieve()
                .bodyToFlux(new ParameterizedTypeReference<List<Map<String, Object>>>() {})
                .map(operations -> operations.stream()
                        .filter(operation -> operation.get("name").equals("put"))
                        .toList())
                .filter(operations ->
                        operations.stream().allMatch(operation -> ((Number) operation.get("total")).longValue() > 0))
                .blockFirst(PATIENCE);
        assertThat(puts).extracting("transport").containsExactly("rdma", "tcp");
        assertThat(puts).allSatisfy(operation -> {
            assertThat(operation.get("percentiles")).asInstanceOf(LIST).hasSize(2);
            assertThat(operation.get("shorter"))
                    .as("bars of the page")
                    .asInstanceOf(LIST)
                    .hasSize(20);
        });
    }

    @Test
    void healthAndMetrics() {
        put("measured", "x").expectStatus().isNoContent();
        assertThat(text("actuator/health"))
                .contains("\"rdma\"")
                .contains("\"device\":\"soft0\"")
                .contains("ACTIVE");
        assertThat(text("actuator/metrics/cache.operations?tag=operation:put&tag=transport:rdma"))
                .contains("\"COUNT\"");
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
