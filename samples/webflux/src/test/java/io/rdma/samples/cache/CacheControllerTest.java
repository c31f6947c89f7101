package io.rdma.samples.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.samples.latencies.Latencies;
import io.rdma.structures.TableOptions;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import org.springframework.test.web.reactive.server.WebTestClient;
import reactor.core.publisher.Mono;

/** The HTTP interface over both transports, with the memory in this process. */
@Timeout(600)
class CacheControllerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private CacheMemory memory;
    private DisposableServer server;
    private reactor.netty.DisposableServer tcpServer;
    private WebTestClient client;

    @AfterEach
    void stop() {
        server.disposeNow(PATIENCE);
        tcpServer.disposeNow(PATIENCE);
        resources.close();
    }

    private void host(TableOptions options) {
        memory = new CacheMemory(resources, options);
        server = memory.bind("127.0.0.1", 0);
        tcpServer = memory.bindTcp("127.0.0.1", 0);
        client = client(server.port());
    }

    private WebTestClient client(int port) {
        RdmaClient rdma =
                RdmaClient.create().resources(resources).host("127.0.0.1").port(port);
        Map<String, Cache> caches =
                Map.of(Cache.RDMA, new CacheClient(rdma), Cache.TCP, new TcpCacheClient("127.0.0.1", tcpServer.port()));
        return WebTestClient.bindToController(new CacheController(
                        caches, new Latencies(registry, "cache.operations", List.of("get", "put", "add"))))
                .controllerAdvice(new CacheErrors())
                .configureClient()
                .responseTimeout(PATIENCE)
                .build();
    }

    private WebTestClient.ResponseSpec get(String over, String key) {
        return client.get().uri("/values/{key}?over={over}", key, over).exchange();
    }

    private WebTestClient.RequestHeadersSpec<?> put(String over, String key, byte[] value) {
        return client.put().uri("/values/{key}?over={over}", key, over).bodyValue(value);
    }

    private WebTestClient.RequestHeadersSpec<?> delete(String over, String key) {
        return client.delete().uri("/values/{key}?over={over}", key, over);
    }

    private static void stored(WebTestClient.RequestHeadersSpec<?> put) {
        put.exchange().expectStatus().isNoContent();
    }

    private static void refused(WebTestClient.ResponseSpec answer, int status, String why) {
        answer.expectStatus()
                .isEqualTo(status)
                .expectBody(String.class)
                .value(text -> assertThat(text).contains(why));
    }

    @ParameterizedTest
    @ValueSource(strings = {Cache.RDMA, Cache.TCP})
    void valuesUpToTheLimit(String over) {
        host(CacheMemory.TABLE);
        byte[] most = new byte[CacheMemory.LIMIT - "key".length()];
        new Random(1).nextBytes(most);
        stored(put(over, "key", most));
        get(over, "key").expectStatus().isOk().expectBody(byte[].class).isEqualTo(most);
        stored(put(over, "key", new byte[0]));
        get(over, "key").expectStatus().isOk().expectBody().isEmpty();
        refused(
                put(over, "key", new byte[most.length + 1]).exchange(),
                400,
                "a key of 3 bytes and a value of 998 bytes");
        refused(put(over, "key", new byte[CacheMemory.LIMIT + 1]).exchange(), 413, "more than 1000 bytes");
        String longest = "k".repeat(CacheMemory.LIMIT);
        stored(put(over, longest, new byte[0]));
        get(over, longest).expectStatus().isOk();
        refused(put(over, longest + "k", new byte[0]).exchange(), 400, "a key of 1001 bytes");
        refused(get(over, longest + "k"), 400, "a key of 1001 bytes");
        refused(delete(over, longest + "k").exchange(), 400, "a key of 1001 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {Cache.RDMA, Cache.TCP})
    void aChangeMayDependOnTheVersion(String over) {
        host(CacheMemory.TABLE);
        stored(put(over, "key", new byte[] {1}));
        stored(put(over, "key", new byte[] {2}).header("If-Match", "\"1\""));
        refused(
                put(over, "key", new byte[] {3}).header("If-Match", "\"1\"").exchange(),
                412,
                "the version is 2, not 1");
        refused(delete(over, "key").header("If-Match", "\"1\"").exchange(), 412, "the version is 2, not 1");
        get(over, "key")
                .expectHeader()
                .valueEquals("ETag", "\"2\"")
                .expectBody(byte[].class)
                .isEqualTo(new byte[] {2});
        stored(delete(over, "key").header("If-Match", "\"2\""));
        refused(
                put(over, "key", new byte[] {3}).header("If-Match", "\"2\"").exchange(),
                412,
                "the version is 0, not 2");
        for (String nonsense : new String[] {"*", "1", "\"x\"", "\"1\", \"2\"", "\"-1\"", "\"9999999999999999999\""}) {
            refused(put(over, "key", new byte[0]).header("If-Match", nonsense).exchange(), 400, "If-Match is an ETag");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Cache.RDMA, Cache.TCP})
    void aKeyThatWasRemovedHasNoValue(String over) {
        host(CacheMemory.TABLE);
        refused(delete(over, "key").exchange(), 404, "no value");
        stored(put(over, "key", new byte[] {1}));
        stored(delete(over, "key"));
        refused(get(over, "key"), 404, "no value");
        refused(delete(over, "key").exchange(), 404, "no value");
        stored(put(over, "key", new byte[] {2}));
        get(over, "key").expectBody(byte[].class).isEqualTo(new byte[] {2});
    }

    @ParameterizedTest
    @ValueSource(strings = {Cache.RDMA, Cache.TCP})
    void aTableThatDisplacesNothingMayBeFull(String over) {
        host(TableOptions.of(1, 100));
        stored(put(over, "a", new byte[50]));
        refused(put(over, "b", new byte[50]).exchange(), 507, "the bucket of the key has 65 of 100 bytes in use");
        get(over, "a").expectStatus().isOk();
        stored(delete(over, "a"));
        stored(put(over, "b", new byte[50]));
    }

    @ParameterizedTest
    @ValueSource(strings = {Cache.RDMA, Cache.TCP})
    void theTableOfTheCacheDisplacesTheOldest(String over) {
        host(new TableOptions(TableOptions.of(1, 100).buckets(), CacheMemory.TABLE.displacing()));
        stored(put(over, "a", new byte[50]));
        stored(put(over, "b", new byte[50]));
        refused(get(over, "a"), 404, "displaced");
        get(over, "b").expectStatus().isOk();
    }

    @Test
    void aTransportReadsWhatTheOtherWrote() {
        host(CacheMemory.TABLE);
        stored(put(Cache.RDMA, "key", new byte[] {1}));
        stored(put(Cache.TCP, "key", new byte[] {2}).header("If-Match", "\"1\""));
        get(Cache.RDMA, "key").expectBody(byte[].class).isEqualTo(new byte[] {2});
        stored(delete(Cache.RDMA, "key"));
        get(Cache.TCP, "key").expectStatus().isNotFound();
    }

    /** The client finds the memory again, and in it what was put before. */
    @Test
    void aServerThatIsLostAndBack() {
        host(CacheMemory.TABLE);
        stored(put(Cache.RDMA, "key", new byte[] {1}));
        server.disposeNow(PATIENCE);
        get(Cache.RDMA, "key").expectStatus().isEqualTo(503);
        put(Cache.RDMA, "key", new byte[] {2}).exchange().expectStatus().isEqualTo(503);
        int port = server.port();
        server = await().atMost(PATIENCE)
                .ignoreException(RdmaConnectException.class) // while the port is not free yet
                .until(() -> memory.bind("127.0.0.1", port), bound -> true);
        await().atMost(PATIENCE)
                .untilAsserted(() -> get(Cache.RDMA, "key")
                        .expectStatus()
                        .isOk()
                        .expectBody(byte[].class)
                        .isEqualTo(new byte[] {1}));
    }

    @Test
    void aServerThatIsNoMemory() {
        host(CacheMemory.TABLE);
        isNoMemory(connection -> connection.send("hello").then(connection.onDispose()));
        isNoMemory(connection -> Mono.empty());
    }

    private void isNoMemory(Function<RdmaConnection, Publisher<Void>> handler) {
        DisposableServer stranger = RdmaServer.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(0)
                .handle(handler)
                .bindNow(PATIENCE);
        client = client(stranger.port());
        refused(get(Cache.RDMA, "key"), 503, "no memory process answers over RDMA");
        stranger.disposeNow(PATIENCE);
    }

    @ParameterizedTest
    @ValueSource(strings = {Cache.RDMA, Cache.TCP})
    void operationsAreCounted(String over) {
        host(CacheMemory.TABLE);
        stored(put(over, "key", new byte[0]));
        get(over, "key").expectHeader().valueMatches("Server-Timing", "cache;dur=[0-9.E-]+");
        get(over, "nothing").expectStatus().isNotFound();
        refused(get(over, ""), 400, "the key is empty");
        assertThat(count("put", over)).isEqualTo(1);
        assertThat(count("get", over)).as("without the refusal").isEqualTo(2);
    }

    private long count(String operation, String over) {
        return Objects.requireNonNull(registry.get("cache.operations")
                        .tags("operation", operation, "transport", over)
                        .timer())
                .count();
    }
}
