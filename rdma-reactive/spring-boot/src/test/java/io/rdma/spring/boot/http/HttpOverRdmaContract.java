package io.rdma.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rdma.spring.boot.http.Greetings.Greeting;
import io.rdma.testing.TestCertificates;
import io.rdma.testing.TestDevice;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientRequestException;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.registry.HttpServiceGroup.ClientType;
import org.springframework.web.service.registry.ImportHttpServices;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A Spring Boot application whose WebFlux controllers are served over TCP and over RDMA of a device. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class HttpOverRdmaContract {
    private static final Duration BOUND = Duration.ofSeconds(60);
    private static final String HOST = "127.0.0.1";

    private ConfigurableApplicationContext application;
    private WebClient client;

    /** Returns the name of the device. */
    abstract String device();

    @BeforeAll
    void start() {
        TestDevice.assumed(device());
        application = started(Application.class);
        client = client(application);
    }

    @AfterAll
    void stop() {
        if (application != null) {
            application.close();
        }
    }

    private ConfigurableApplicationContext started(Class<?> application, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--rdma.device=" + device(),
                "--rdma.required=true",
                "--rdma.http.host=" + HOST,
                "--rdma.http.port=0",
                "--rdma.http.event-loops=1"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(application).run(all.toArray(String[]::new));
    }

    private String url(ConfigurableApplicationContext context) {
        return "rdma://" + HOST + ":"
                + context.getBean(RdmaHttpServerLifecycle.class).address().getPort();
    }

    private WebClient client(ConfigurableApplicationContext context) {
        return context.getBean(WebClient.Builder.class).baseUrl(url(context)).build();
    }

    /** Event loops over TCP that the contexts of a test do not share, because the end of a context ends them. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    static class OwnLoops {
        @Bean
        ReactorResourceFactory reactorResourceFactory() {
            ReactorResourceFactory loops = new ReactorResourceFactory();
            loops.setUseGlobalResources(false);
            loops.setShutdownQuietPeriod(Duration.ZERO);
            return loops;
        }
    }

    /** An application that names no class of RDMA. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Greetings.class, OwnLoops.class})
    static class Application {
        private final List<Integer> customized = new ArrayList<>();

        @Bean
        WebServerFactoryCustomizer<NettyReactiveWebServerFactory> marking() {
            return factory -> customized.add(factory.getPort());
        }
    }

    @Test
    void oneControllerIsReachedOverBothTransports() {
        WebServerApplicationContext web = (WebServerApplicationContext) application;
        int tcp = Objects.requireNonNull(web.getWebServer()).getPort();
        String overTcp = "http://127.0.0.1:" + tcp + "/greetings/you";
        assertThat(client.get()
                        .uri("/greetings/you")
                        .retrieve()
                        .bodyToMono(Greeting.class)
                        .block(BOUND))
                .isEqualTo(new Greeting("hello you"));
        assertThat(client.get()
                        .uri(overTcp)
                        .retrieve()
                        .bodyToMono(Greeting.class)
                        .block(BOUND))
                .isEqualTo(new Greeting("hello you"));
        assertThat(text("/channel")).isEqualTo("RdmaSocketChannel");
        assertThat(text("http://127.0.0.1:" + tcp + "/channel"))
                .endsWith("SocketChannel")
                .isNotEqualTo("RdmaSocketChannel");
        assertThat(application.getBean(Application.class).customized).hasSize(2);
    }

    private String text(String uri) {
        return client.get().uri(uri).retrieve().bodyToMono(String.class).block(BOUND);
    }

    @Test
    void bodiesTravelBothWays() {
        assertThat(client.post()
                        .uri("/greetings")
                        .bodyValue(new Greeting("welcome"))
                        .retrieve()
                        .bodyToMono(Greeting.class)
                        .block(BOUND))
                .isEqualTo(new Greeting("welcome to you too"));
        assertThat(client.get()
                        .uri("/greetings/{name}?query=%26", "a/b c")
                        .retrieve()
                        .bodyToMono(Greeting.class)
                        .block(BOUND))
                .isEqualTo(new Greeting("hello a/b c"));
    }

    @Test
    void streamIsReadInPortionsAndMayBeCancelled() {
        assertThat(numbers()
                        .index()
                        .filter(one -> !one.getT2().text().equals("number " + one.getT1()))
                        .count()
                        .block(BOUND))
                .isZero();
        assertThat(numbers().take(5).count().block(BOUND)).isEqualTo(5);
    }

    private Flux<Greeting> numbers() {
        return client.get()
                .uri("/numbers")
                .retrieve()
                .bodyToFlux(Greeting.class)
                .limitRate(10);
    }

    @Test
    void serverSentEventsArrive() {
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
        assertThatThrownBy(() -> status("rdma://" + HOST + ":1/"))
                .isInstanceOf(WebClientRequestException.class)
                .hasCauseInstanceOf(ConnectException.class);
    }

    private HttpStatusCode status(String uri) {
        return client.get()
                .uri(uri)
                .exchangeToMono(response -> response.toBodilessEntity())
                .map(ResponseEntity::getStatusCode)
                .block(BOUND);
    }

    @Test
    void settingsOfTheWebServerHoldForBoth() {
        try (ConfigurableApplicationContext other = started(
                Application.class, "--server.max-http-request-header-size=1KB", "--spring.webflux.base-path=/base")) {
            String path = url(other) + "/base/greetings/you";
            assertThat(status(path)).isEqualTo(HttpStatus.OK);
            HttpStatusCode tooLong = client.get()
                    .uri(path)
                    .header("Text", "x".repeat(4096))
                    .exchangeToMono(response -> response.toBodilessEntity())
                    .map(ResponseEntity::getStatusCode)
                    .block(BOUND);
            assertThat(Objects.requireNonNull(tooLong).is4xxClientError())
                    .as("status %s", tooLong)
                    .isTrue();
        }
    }

    /** Has TLS in the stream, and mutual TLS in the exchange that makes the connection. */
    @Test
    void tlsWorksAsOverTcp(@TempDir Path folder) throws Exception {
        new TestCertificates(folder).create("web");
        String store = "=file:" + folder.resolve("web.p12");
        String bundle = "--spring.ssl.bundle.jks.web.";
        try (ConfigurableApplicationContext other = started(
                Application.class,
                "--server.ssl.bundle=web",
                "--rdma.ssl.bundle=web",
                "--spring.http.clients.ssl.bundle=web",
                bundle + "keystore.location" + store,
                bundle + "keystore.password=" + TestCertificates.PASSWORD,
                bundle + "truststore.location" + store,
                bundle + "truststore.password=" + TestCertificates.PASSWORD)) {
            String address = url(other);
            assertThat(other.getBean(WebClient.Builder.class)
                            .build()
                            .get()
                            .uri(address.replace("rdma:", "rdmas:") + "/greetings/you")
                            .retrieve()
                            .bodyToMono(Greeting.class)
                            .block(BOUND))
                    .isEqualTo(new Greeting("hello you"));
            assertThatThrownBy(() -> status(address + "/greetings/you"))
                    .as("client without the certificate")
                    .isInstanceOf(WebClientRequestException.class)
                    .hasMessageContaining("TLS");
        }
    }

    /** A service of another application, named by its interface. */
    interface GreetingService {
        @GetExchange("/greetings/{name}")
        Greeting greet(@PathVariable("name") String name);
    }

    /** An application that calls the service. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(OwnLoops.class)
    @ImportHttpServices(group = "greetings", types = GreetingService.class, clientType = ClientType.WEB_CLIENT)
    static class Caller {}

    @Test
    void serviceIsMarkedByItsAddress() {
        try (ConfigurableApplicationContext caller = new SpringApplicationBuilder(Caller.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--rdma.device=" + device(),
                        "--rdma.http.event-loops=1",
                        "--spring.http.serviceclient.greetings.base-url=" + url(application))) {
            assertThat(caller.getBean(GreetingService.class).greet("you")).isEqualTo(new Greeting("hello you"));
        }
    }

    @Test
    void stopWaitsForTheRequestsInProgress() throws Exception {
        ConfigurableApplicationContext other = started(Application.class);
        Greetings greetings = other.getBean(Greetings.class);
        CompletableFuture<Greeting> answer = client.get()
                .uri(url(other) + "/held")
                .retrieve()
                .bodyToMono(Greeting.class)
                .toFuture();
        greetings.asked().block(BOUND);
        String late = url(other) + "/greetings/late"; // a server that has stopped has no address
        CompletableFuture<Void> closed = CompletableFuture.runAsync(other::close);
        await().atMost(BOUND)
                .until(() -> client.get()
                        .uri(late)
                        .exchangeToMono(response -> Mono.just(false))
                        .onErrorReturn(true)
                        .block(BOUND));
        assertThat(closed).isNotDone();
        assertThat(answer).isNotDone();
        greetings.release(new Greeting("at last"));
        assertThat(answer.get(BOUND.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Greeting("at last"));
        closed.get(BOUND.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void immediateStopEndsTheRequestsInProgressWithAnError() throws Exception {
        ConfigurableApplicationContext other = started(Application.class, "--server.shutdown=immediate");
        CompletableFuture<Greeting> answer = client.get()
                .uri(url(other) + "/held")
                .retrieve()
                .bodyToMono(Greeting.class)
                .toFuture();
        other.getBean(Greetings.class).asked().block(BOUND);
        other.close();
        assertThatThrownBy(() -> answer.get(BOUND.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(WebClientRequestException.class);
    }
}
