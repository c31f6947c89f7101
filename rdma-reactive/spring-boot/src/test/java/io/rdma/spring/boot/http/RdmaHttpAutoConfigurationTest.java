package io.rdma.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.KeyValue;
import io.rdma.netty.reactor.RdmaLoopResources;
import io.rdma.spring.boot.RdmaAutoConfiguration;
import io.rdma.testing.CapturedLog;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.http.HttpMethod;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.http.client.reactive.ClientHttpConnector;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientRequestObservationContext;
import org.springframework.web.reactive.function.client.ClientRequestObservationConvention;
import org.springframework.web.reactive.function.client.DefaultClientRequestObservationConvention;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Tests of the beans of HTTP over RDMA, and of what a start refuses. */
@Timeout(180)
class RdmaHttpAutoConfigurationTest {
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class,
                    RdmaHttpAutoConfiguration.class,
                    ReactiveHttpClientAutoConfiguration.class,
                    WebClientAutoConfiguration.class))
            .withPropertyValues("rdma.device=soft0", "rdma.http.host=127.0.0.1");

    private final ApplicationContextRunner serving =
            contexts.withBean(HttpHandler.class, () -> (request, response) -> Mono.empty());

    @Test
    void withoutAPortThereIsAClientAlone() {
        serving.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(RdmaClientHttpConnector.class)
                .doesNotHaveBean(RdmaHttpServerLifecycle.class));
    }

    @Test
    void beansForTcpStayThoseOfTheApplication() {
        contexts.run(context -> {
            assertThat(context.getBean(ClientHttpConnector.class)).isInstanceOf(ReactorClientHttpConnector.class);
            assertThat(context.getBean(ReactorResourceFactory.class))
                    .isNotSameAs(context.getBean("rdmaReactorResourceFactory"));
            assertThat(context).hasSingleBean(WebClient.Builder.class);
        });
    }

    @Test
    void observationsOfClientsHaveThePathAlone() {
        contexts.run(context -> {
            ClientRequestObservationConvention convention = context.getBean(ClientRequestObservationConvention.class);
            assertThat(convention.getName()).isEqualTo("http.client.requests");
            assertThat(uri(convention, "rdma://orders:7480/orders/{id}?page={page}"))
                    .isEqualTo("/orders/{id}?page={page}");
            assertThat(uri(convention, "rdmas://orders")).isEqualTo("/");
            assertThat(uri(convention, "http://orders:8080/orders/{id}")).isEqualTo("/orders/{id}");
            assertThat(uri(convention, null)).isEqualTo("none");
        });
        contexts.withBean(ClientRequestObservationConvention.class, DefaultClientRequestObservationConvention::new)
                .run(context -> assertThat(context)
                        .hasSingleBean(ClientRequestObservationConvention.class)
                        .doesNotHaveBean(RdmaClientRequestObservationConvention.class));
    }

    private static String uri(ClientRequestObservationConvention convention, @Nullable String template) {
        ClientRequestObservationContext context = new ClientRequestObservationContext(
                ClientRequest.create(HttpMethod.GET, URI.create("rdma://orders:7480/orders/1")));
        context.setUriTemplate(template);
        return convention.getLowCardinalityKeyValues(context).stream()
                .filter(value -> value.getKey().equals("uri"))
                .map(KeyValue::getValue)
                .collect(Collectors.joining());
    }

    @Test
    void withAPortTheServerRunsFromStartToStop() {
        try (CapturedLog log = new CapturedLog("io.rdma.spring.boot.ListeningReport")) {
            serving.withPropertyValues("rdma.http.port=0").run(context -> {
                RdmaHttpServerLifecycle server = context.getBean(RdmaHttpServerLifecycle.class);
                assertThat(server.isRunning()).isTrue();
                assertThat(log.has("INFO rdma.http listens at 127.0.0.1:"
                                + server.address().getPort() + " on soft0"))
                        .isTrue();
                assertThat(log.has("WARNING")).isFalse();
                context.close();
                assertThat(server.isRunning()).isFalse();
            });
        }
    }

    @Test
    void serverOnAllInterfacesWithoutSecurityIsReported() {
        try (CapturedLog log = new CapturedLog("io.rdma.spring.boot.ListeningReport")) {
            serving.withPropertyValues("rdma.http.port=0", "rdma.http.host=")
                    .run(context -> assertThat(log.has("WARNING rdma.http listens on all interfaces"))
                            .isTrue());
        }
    }

    @Test
    void portThatIsTakenFailsTheStart() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            serving.withPropertyValues("rdma.http.port=" + taken.getLocalPort())
                    .run(context -> assertThat(context)
                            .getFailure()
                            .cause()
                            .hasMessageContaining("rdma.http cannot listen")
                            .hasMessageContaining("Set rdma.http.port to a port that is free"));
        }
    }

    @Test
    void wrongValuesAreRefusedByName() {
        assertRefused(serving, "rdma.http.port", "70000");
        assertRefused(serving, "rdma.http.port", "-1");
        assertRefused(serving, "rdma.http.port", "");
        assertRefused(serving.withPropertyValues("rdma.http.port=0"), "rdma.http.host", "no.such.host.invalid");
        assertRefused(serving, "rdma.http.event-loops", "0");
    }

    @Test
    void portWithoutHandlersOrWithoutTheTransportIsRefused() {
        assertRefused(contexts, "rdma.http.port", "0");
        assertRefused(serving.withClassLoader(new FilteredClassLoader(RdmaLoopResources.class)), "rdma.http.port", "0");
        assertRefused(
                serving.withClassLoader(new FilteredClassLoader("org.springframework.boot.reactor.netty")),
                "rdma.http.port",
                "0");
    }

    private static void assertRefused(ApplicationContextRunner contexts, String property, String value) {
        contexts.withPropertyValues(property + "=" + value)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, e -> {
                            assertThat(e.getName()).isEqualTo(property);
                            assertThat(e.getReason()).matches("(Set|Add) .*");
                        }));
    }

    @Test
    void withoutWebFluxOrTheTransportNothingIsConfigured() {
        for (FilteredClassLoader loader : new FilteredClassLoader[] {
            new FilteredClassLoader("io.rdma.netty"),
            new FilteredClassLoader("io.netty", "reactor.netty", "io.rdma.netty"),
            new FilteredClassLoader("org.springframework.web", "org.springframework.http")
        }) {
            new ApplicationContextRunner()
                    .withConfiguration(
                            AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaHttpAutoConfiguration.class))
                    .withPropertyValues("rdma.device=soft0")
                    .withClassLoader(loader)
                    .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(RdmaClientHttpConnector.class));
        }
    }

    @Test
    void disabledOrWithoutADeviceThereAreNoBeans() {
        serving.withPropertyValues("rdma.http.port=0", "rdma.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RdmaHttpServerLifecycle.class)
                        .doesNotHaveBean(RdmaClientHttpConnector.class));
        serving.withPropertyValues("rdma.http.port=0", "rdma.device=absent0")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RdmaHttpServerLifecycle.class)
                        .hasSingleBean(WebClient.Builder.class));
    }
}
