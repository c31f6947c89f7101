package io.rdma.samples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.rdma.netty.RdmaIoOptions;
import io.rdma.netty.RdmaSocketChannel;
import io.rdma.netty.reactor.RdmaLoopResources;
import io.rdma.verbs.RdmaDevices;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;

/** A Spring Boot application with WebFlux whose server, and whose client, run on event loops over RDMA. */
@Timeout(300)
class WebFluxOverRdmaTest {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final int NUMBERS = 20_000;

    private static final Set<Channel> CHANNELS = ConcurrentHashMap.newKeySet();

    private static RdmaLoopResources loops;
    private static WebServerApplicationContext application;
    private static WebClient client;

    @BeforeAll
    static void start() {
        loops = RdmaLoopResources.create(
                "client", 1, true, RdmaIoOptions.DEFAULT.withDevice(RdmaDevices.named("soft0")));
        application = (WebServerApplicationContext) SpringApplication.run(Application.class, "--server.port=0");
        int port = Objects.requireNonNull(application.getWebServer()).getPort();
        client = WebClient.builder()
                .clientConnector(
                        new ReactorClientHttpConnector(HttpClient.create().runOn(loops)))
                .baseUrl("http://127.0.0.1:" + port)
                .build();
    }

    @AfterAll
    static void stop() {
        SpringApplication.exit(application);
        loops.disposeLater(Duration.ZERO, BOUND).block(BOUND);
    }

    record Greeting(String text) {}

    /** An application as others are, but for two beans. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Greetings.class)
    static class Application {
        @Bean(destroyMethod = "dispose")
        RdmaLoopResources loops() {
            return RdmaLoopResources.create(
                    "server", 1, true, RdmaIoOptions.DEFAULT.withDevice(RdmaDevices.named("soft0")));
        }

        @Bean
        WebServerFactoryCustomizer<NettyReactiveWebServerFactory> overRdma(RdmaLoopResources loops) {
            return factory -> factory.addServerCustomizers(
                    server -> server.runOn(loops).doOnConnection(connection -> CHANNELS.add(connection.channel())));
        }
    }

    /** A controller that knows nothing of RDMA. */
    @RestController
    static class Greetings {
        @GetMapping("/greetings/{name}")
        Mono<Greeting> greet(@PathVariable("name") String name) {
            return name.equals("nobody") ? Mono.empty() : Mono.just(new Greeting("hello " + name));
        }

        @PostMapping("/greetings")
        Mono<Greeting> answer(@RequestBody Mono<Greeting> greeting) {
            return greeting.map(one -> new Greeting(one.text() + " to you too"));
        }

        @GetMapping(path = "/numbers", produces = MediaType.APPLICATION_NDJSON_VALUE)
        Flux<Greeting> numbers() {
            return Flux.range(0, NUMBERS).map(number -> new Greeting("number " + number));
        }

        @GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<ServerSentEvent<String>> events() {
            return Flux.range(0, 3)
                    .map(number -> ServerSentEvent.builder("event " + number)
                            .id(Integer.toString(number))
                            .build());
        }

        @GetMapping("/broken")
        Flux<Greeting> broken() {
            return Flux.error(new IllegalStateException("broken"));
        }
    }

    @Test
    void controllerIsReachedOverRdma() {
        assertThat(client.get()
                        .uri("/greetings/you")
                        .retrieve()
                        .bodyToMono(Greeting.class)
                        .block(BOUND))
                .isEqualTo(new Greeting("hello you"));
        assertThat(client.post()
                        .uri("/greetings")
                        .bodyValue(new Greeting("welcome"))
                        .retrieve()
                        .bodyToMono(Greeting.class)
                        .block(BOUND))
                .isEqualTo(new Greeting("welcome to you too"));
        assertThat(CHANNELS).isNotEmpty().allMatch(RdmaSocketChannel.class::isInstance);
    }

    @Test
    void streamIsReadInPortions() {
        assertThat(client.get()
                        .uri("/numbers")
                        .retrieve()
                        .bodyToFlux(Greeting.class)
                        .limitRate(10)
                        .index()
                        .filter(one -> !one.getT2().text().equals("number " + one.getT1()))
                        .count()
                        .block(BOUND))
                .isZero();
        assertThat(client.get()
                        .uri("/numbers")
                        .retrieve()
                        .bodyToFlux(Greeting.class)
                        .take(5)
                        .count()
                        .block(BOUND))
                .isEqualTo(5);
    }

    @Test
    void eventsOfAServerArrive() {
        List<String> events = client.get()
                .uri("/events")
                .retrieve()
                .bodyToFlux(new ParameterizedTypeReference<ServerSentEvent<String>>() {})
                .map(event -> event.id() + ": " + event.data())
                .collectList()
                .block(BOUND);
        assertThat(events).containsExactly("0: event 0", "1: event 1", "2: event 2");
    }

    @Test
    void errorsHaveTheirStatus() {
        assertThat(status("/nothing")).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(status("/broken")).isEqualTo(HttpStatus.INTERNAL_SERVER_ERROR);
        assertThat(status("/actuator/health")).isEqualTo(HttpStatus.OK);
    }

    private static Object status(String uri) {
        return client.get()
                .uri(uri)
                .exchangeToMono(response -> response.toBodilessEntity())
                .map(ResponseEntity::getStatusCode)
                .block(BOUND);
    }
}
