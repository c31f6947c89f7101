package io.rdma.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.rdma.buffer.ReceivedMessage;
import io.rdma.connect.AddressSupplier;
import io.rdma.connect.RdmaResources;
import io.rdma.connect.ServerAddress;
import io.rdma.reactive.databuffer.DataBufferCodec;
import io.rdma.reactive.micrometer.RdmaMetrics;
import io.rdma.reactive.micrometer.RdmaObservations;
import io.rdma.reactive.rsocket.RdmaClientTransport;
import io.rdma.reactive.rsocket.RdmaCloseableServer;
import io.rdma.reactive.rsocket.RdmaServerTransport;
import io.rdma.verbs.AsyncEvent;
import io.rdma.verbs.RdmaDevices;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.SocketAcceptor;
import io.rsocket.core.RSocketClient;
import io.rsocket.core.RSocketConnector;
import io.rsocket.core.RSocketServer;
import io.rsocket.loadbalance.LoadbalanceRSocketClient;
import io.rsocket.util.DefaultPayload;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cloud.client.DefaultServiceInstance;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.ReactiveDiscoveryClient;
import org.springframework.http.MediaType;
import org.springframework.http.codec.json.JacksonJsonDecoder;
import org.springframework.http.codec.json.JacksonJsonEncoder;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests of the Java snippets in docs, which are quoted from this file: they compile and do what the pages say. */
@Timeout(180)
class DocumentationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static void withAnEcho(Consumer<RdmaConnection> test) {
        DisposableServer server = RdmaServer.create()
                .device("soft0")
                .host("127.0.0.1")
                .handle(connection -> connection
                        .receive(ReceivedMessage::toByteArray)
                        .concatMap(
                                bytes -> connection.send(bytes.length, to -> to.copyFrom(MemorySegment.ofArray(bytes))))
                        .then())
                .bindNow(PATIENCE);
        try {
            RdmaConnection connection = RdmaClient.create()
                    .device("soft0")
                    .host("127.0.0.1")
                    .port(server.port())
                    .connectNow(PATIENCE);
            test.accept(connection);
            connection.disposeNow(PATIENCE);
        } finally {
            server.disposeNow(PATIENCE);
        }
    }

    @Test
    void events() {
        RdmaResources resources = RdmaResources.open(RdmaDevices.defaultDevice());
        Flux<AsyncEvent> events = RdmaEvents.events(resources); // io.rdma.reactive
        RdmaClient client = RdmaClient.create().resources(resources);
        assertThat(client).isNotNull();
        Mono<Long> counted = events.count();
        resources.close();
        assertThat(counted.block(PATIENCE))
                .as("completes when the resources close")
                .isZero();
    }

    @Test
    void meters() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        RdmaResources resources = RdmaResources.open(RdmaDevices.defaultDevice());
        new RdmaMetrics(resources).bindTo(registry);
        RdmaClient client = RdmaClient.create().resources(resources);
        assertThat(client).isNotNull();
        assertThat(registry.get("rdma.connections").gauge().value()).isZero();
        resources.close();
    }

    @Test
    void observations() {
        TestObservationRegistry observations = TestObservationRegistry.create();
        withAnEcho(connection -> {
            observed(connection, observations).send(5, to -> {}).block(PATIENCE);
            connection.receive(ReceivedMessage::toByteArray).blockFirst(PATIENCE);
        });
        TestObservationRegistryAssert.assertThat(observations)
                .hasObservationWithNameEqualTo("rdma.operation")
                .that()
                .hasLowCardinalityKeyValue("rdma.operation.type", "send");
    }

    private static RdmaConnection observed(RdmaConnection connection, ObservationRegistry observationRegistry) {
        RdmaConnection observed = RdmaObservations.observe(connection, observationRegistry);
        return observed;
    }

    @Test
    void rsocket() {
        SocketAcceptor acceptor = SocketAcceptor.forRequestResponse(question -> Mono.just(question));
        RdmaCloseableServer server = RSocketServer.create(acceptor)
                .bindNow(RdmaServerTransport.create(
                        RdmaServer.create().host("localhost").port(0)));

        Mono<RSocket> client = RSocketConnector.create()
                .connect(RdmaClientTransport.create(RdmaClient.create()
                        .host("localhost")
                        .port(server.address().getPort())));
        RSocket requester = Objects.requireNonNull(client.block(PATIENCE));
        String answer = requester
                .requestResponse(DefaultPayload.create("hello"))
                .map(DocumentationTest::text)
                .block(PATIENCE);
        assertThat(answer).isEqualTo("hello");
        requester.dispose();
        requester.onClose().block(PATIENCE);
        server.dispose();
        server.onClose().block(PATIENCE);
    }

    /** Registry of Spring Cloud with one instance, whose metadata has the port of RDMA. */
    private record OneInstance(int port) implements ReactiveDiscoveryClient {
        @Override
        public String description() {
            return "one instance";
        }

        @Override
        public Flux<ServiceInstance> getInstances(String service) {
            Map<String, String> metadata = Map.of("rdma.port", Integer.toString(port));
            return Flux.just(new DefaultServiceInstance("alpha", service, "127.0.0.1", 8080, false, metadata));
        }

        @Override
        public Flux<String> getServices() {
            return Flux.just("digests");
        }
    }

    @Test
    void balancing() {
        RdmaCloseableServer server = RSocketServer.create(SocketAcceptor.forRequestResponse(Mono::just))
                .bindNow(RdmaServerTransport.create(
                        RdmaServer.create().device("soft0").host("127.0.0.1").port(0)));
        ReactiveDiscoveryClient discovery = new OneInstance(server.address().getPort());
        RdmaResources resources = RdmaResources.open(RdmaDevices.named("soft0"));
        RdmaClient client = RdmaClient.create().resources(resources); // one device and its loops for all connections
        AddressSupplier digests = () -> discovery
                .getInstances("digests")
                .map(instance -> ServerAddress.of(
                        instance.getMetadata().getOrDefault("rdma.host", instance.getHost()),
                        Integer.parseInt(instance.getMetadata().getOrDefault("rdma.port", "7471"))))
                .collectList()
                .block();
        RSocketClient servers = LoadbalanceRSocketClient.builder(
                        RdmaClientTransport.create(client).targets(digests, Duration.ofSeconds(1)))
                .roundRobinLoadbalanceStrategy() // or weighted, by latency
                .build();
        String answer = servers.requestResponse(Mono.fromSupplier(() -> DefaultPayload.create("hello")))
                .map(DocumentationTest::text)
                .block(PATIENCE);
        assertThat(answer).isEqualTo("hello");
        servers.dispose();
        server.dispose();
        server.onClose().block(PATIENCE);
        resources.close();
    }

    private static String text(Payload payload) {
        String text = payload.getDataUtf8();
        payload.release();
        return text;
    }

    /** A value to send. */
    record Order(int number, String item) {}

    @Test
    void codecs() {
        withAnEcho(connection -> {
            DataBufferCodec<Order> orders = DataBufferCodec.of(
                    Order.class, new JacksonJsonEncoder(), new JacksonJsonDecoder(), MediaType.APPLICATION_JSON);

            Flux<Order> received = orders.receive(connection);
            Mono<Void> sent = orders.send(connection, Flux.just(new Order(1, "bolt")));
            sent.block(PATIENCE);
            assertThat(received.blockFirst(PATIENCE)).isEqualTo(new Order(1, "bolt"));
        });
    }
}
