package io.rdma.reactive.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.DisposableServer;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.types.RemoteMemory;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests of the meters and observations that Micrometer's registries receive. */
class ObservabilityTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestObservationRegistry observations = TestObservationRegistry.create();
    private RdmaResources resources;
    private DisposableServer server;
    private RdmaConnection client;

    @BeforeEach
    void connect() {
        resources = RdmaResources.open(RdmaDevices.named("soft0"));
        new RdmaMetrics(resources).bindTo(meters);
        server = RdmaServer.create()
                .device("soft0")
                .host("127.0.0.1")
                .handle(connection ->
                        connection.receive(message -> message.length()).then())
                .bindNow(PATIENCE);
        client = RdmaClient.create()
                .resources(resources)
                .host("127.0.0.1")
                .port(server.port())
                .connectNow(PATIENCE);
    }

    @AfterEach
    void close() {
        client.disposeNow(PATIENCE);
        server.disposeNow(PATIENCE);
        resources.close();
    }

    private double value(String name) {
        return meters.get(name)
                .tag("device", "soft0")
                .meter()
                .measure()
                .iterator()
                .next()
                .getValue();
    }

    @Test
    void metersFollowTheEngine() {
        assertThat(value("rdma.connections")).isEqualTo(1);
        assertThat(value("rdma.memory.registered")).isPositive();
        client.send(Flux.range(0, 100), (n, target) -> 2_000) // too long to share a SEND
                .block(PATIENCE);
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(value("rdma.loop.requests.posted")).isGreaterThanOrEqualTo(100));
        assertThat(value("rdma.loop.doorbells")).isPositive();
        assertThat(value("rdma.operations.active")).isZero();
        assertThat(value("rdma.buffers.send.leased")).isZero();
        client.disposeNow(PATIENCE);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(value("rdma.connections")).isZero());
    }

    @Test
    void everyMeterHasAUnitADescriptionAndFewTags() {
        assertThat(meters.getMeters()).hasSizeGreaterThan(15).allSatisfy(meter -> {
            Meter.Id id = meter.getId();
            assertThat(id.getName()).matches("rdma(\\.[a-z]+)+");
            assertThat(id.getBaseUnit()).isNotBlank();
            assertThat(id.getDescription()).isNotBlank();
            assertThat(id.getTags()).allSatisfy(tag -> assertThat(tag.getKey()).isIn("device", "loop"));
        });
    }

    @Test
    void anOperationIsAChildOfTheSubscribersObservation() {
        RdmaConnection observed = RdmaObservations.observe(client, observations);
        Observation request = Observation.start("request", observations);
        observed.send(8, target -> {})
                .contextWrite(context -> context.put(ObservationThreadLocalAccessor.KEY, request))
                .block(PATIENCE);
        request.stop();
        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo(RdmaObservations.NAME)
                .that()
                .hasContextualNameEqualTo("rdma send")
                .hasLowCardinalityKeyValue(RdmaObservations.OPERATION, "send")
                .hasParentObservationEqualTo(request)
                .hasBeenStarted()
                .hasBeenStopped();
    }

    @Test
    void aFailedOperationIsAnErrorOfItsObservation() {
        RdmaConnection observed = RdmaObservations.observe(client, observations);
        observed.fetchAndAdd(new RemoteMemory(8, 8, 0x12345), 1) // no such key
                .onErrorResume(error -> Mono.empty())
                .block(PATIENCE);
        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo(RdmaObservations.NAME)
                .that()
                .hasLowCardinalityKeyValue(RdmaObservations.OPERATION, "fetch_and_add")
                .hasError();
    }

    private RdmaClient another(int port) {
        return RdmaClient.create().resources(resources).host("127.0.0.1").port(port);
    }

    @Test
    void connectionsOfAClientAreObserved() {
        RdmaConnection observed =
                RdmaObservations.observe(another(server.port()), observations).connectNow(PATIENCE);
        observed.send(8, target -> {}).block(PATIENCE);
        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo(RdmaObservations.NAME)
                .that()
                .hasLowCardinalityKeyValue(RdmaObservations.OPERATION, "send")
                .hasBeenStopped();
        observed.disposeNow(PATIENCE);
    }

    @Test
    void connectionsOfAServerAreObserved() {
        DisposableServer greeting = RdmaObservations.observe(RdmaServer.create(), observations)
                .resources(resources)
                .host("127.0.0.1")
                .handle(connection -> connection.send("hello"))
                .bindNow(PATIENCE);
        RdmaConnection connection = another(greeting.port()).connectNow(PATIENCE);
        assertThat(connection.receive().asString().blockLast(PATIENCE)).isEqualTo("hello");
        // The client may have the message before the server's operation has ended.
        await().atMost(PATIENCE)
                .untilAsserted(() -> TestObservationRegistryAssert.assertThat(observations)
                        .hasObservationWithNameEqualTo(RdmaObservations.NAME)
                        .that()
                        .hasLowCardinalityKeyValue(RdmaObservations.OPERATION, "send")
                        .hasBeenStopped());
        connection.disposeNow(PATIENCE);
        greeting.disposeNow(PATIENCE);
    }

    @Test
    void nothingIsObservedWhileTheRegistryHasNoHandlers() {
        RdmaConnection connection = RdmaObservations.observe(another(server.port()), ObservationRegistry.create())
                .connectNow(PATIENCE);
        assertThat(connection).isNotInstanceOf(ObservedConnection.class);
        connection.disposeNow(PATIENCE);
    }
}
