package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaConnection;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.micrometer.RdmaMetrics;
import io.rdma.testing.TestCertificates;
import io.rdma.verbs.RdmaDevices;
import io.rsocket.core.RSocketServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Tests of the beans that an application gets from properties {@code rdma.*}. */
class RdmaAutoConfigurationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    RdmaAutoConfiguration.class, RdmaHealthAutoConfiguration.class, RdmaMetricsAutoConfiguration.class))
            .withPropertyValues("rdma.device=soft0", "rdma.server.host=127.0.0.1", "rdma.server.port=0");

    @Test
    void withoutAHandlerThereAreBeansButNothingListens() {
        contexts.run(context -> assertThat(context)
                .hasNotFailed()
                .hasSingleBean(RdmaResources.class)
                .hasSingleBean(RdmaClient.class)
                .hasSingleBean(RdmaServer.class)
                .hasSingleBean(RdmaHealthIndicator.class)
                .hasSingleBean(RdmaMetrics.class)
                .doesNotHaveBean(RdmaServerLifecycle.class));
    }

    @Test
    void withAHandlerTheServerServesFromStartToStop() {
        AtomicReference<RdmaConnection> left = new AtomicReference<>();
        AtomicReference<RdmaServerLifecycle> lifecycle = new AtomicReference<>();
        contexts.withBean(
                        RdmaConnectionHandler.class,
                        () -> connection -> connection
                                .receive(message -> message.toByteArray())
                                .concatMap(bytes -> connection.send(
                                        bytes.length,
                                        target -> target.copyFrom(java.lang.foreign.MemorySegment.ofArray(bytes))))
                                .then())
                .withPropertyValues("rdma.server.shutdown-timeout=100ms")
                .run(context -> {
                    lifecycle.set(context.getBean(RdmaServerLifecycle.class));
                    RdmaConnection client = context.getBean(RdmaClient.class)
                            .host("127.0.0.1")
                            .port(lifecycle.get().address().getPort())
                            .connectNow(PATIENCE);
                    left.set(client);
                    client.send(5, target -> {}).block(PATIENCE);
                    assertThat(client.receive(message -> message.length()).blockFirst(PATIENCE))
                            .isEqualTo(5);
                    Health health = Objects.requireNonNull(
                            context.getBean(RdmaHealthIndicator.class).health().block(PATIENCE));
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(health.getDetails())
                            .containsEntry("device", "soft0")
                            .containsEntry("port1", "ACTIVE")
                            .containsEntry("connections", 2); // both ends
                });
        assertThat(lifecycle.get().isRunning()).isFalse();
        left.get().onDispose().block(PATIENCE); // the context closed it
    }

    /** Checks a client and a server of one application that present and trust the same certificate. */
    @Test
    void anSslBundleIsForClientsAndServers(@TempDir Path folder) throws Exception {
        new TestCertificates(folder).create("both");
        String store = "file:" + folder.resolve("both.p12");
        contexts.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withBean(
                        RdmaConnectionHandler.class,
                        () -> connection -> connection.receive(message -> 0).then())
                .withPropertyValues(
                        "rdma.ssl.bundle=rdma",
                        "rdma.server.shutdown-timeout=100ms",
                        "spring.ssl.bundle.jks.rdma.keystore.location=" + store,
                        "spring.ssl.bundle.jks.rdma.keystore.password=" + TestCertificates.PASSWORD,
                        "spring.ssl.bundle.jks.rdma.truststore.location=" + store,
                        "spring.ssl.bundle.jks.rdma.truststore.password=" + TestCertificates.PASSWORD)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    int port =
                            context.getBean(RdmaServerLifecycle.class).address().getPort();
                    RdmaClient client =
                            context.getBean(RdmaClient.class).host("127.0.0.1").port(port);
                    client.connectNow(PATIENCE).disposeNow(PATIENCE);
                    assertThatThrownBy(() -> client.options(options -> options.withTls(null))
                                    .connectNow(PATIENCE))
                            .isInstanceOf(RdmaConnectException.class)
                            .hasMessageContaining("TLS");
                });
        contexts.withPropertyValues("rdma.ssl.bundle=none")
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("Property rdma.ssl.bundle with value 'none' is invalid")
                        .rootCause()
                        .isInstanceOf(NoSuchSslBundleException.class));
    }

    @Test
    void aStopLetsAHandlerEndByItself() {
        AtomicReference<RdmaConnection> client = new AtomicReference<>();
        AtomicReference<String> ended = new AtomicReference<>("cancelled");
        CountDownLatch handled = new CountDownLatch(1);
        contexts.withBean(
                        RdmaConnectionHandler.class,
                        () -> connection -> Mono.delay(Duration.ofMillis(300))
                                .doOnSubscribe(subscription -> handled.countDown())
                                .doOnNext(tick -> ended.set("by itself"))
                                .then())
                .withPropertyValues("rdma.server.shutdown-timeout=60s")
                .run(context -> {
                    client.set(context.getBean(RdmaClient.class)
                            .host("127.0.0.1")
                            .port(context.getBean(RdmaServerLifecycle.class)
                                    .address()
                                    .getPort())
                            .connectNow(PATIENCE));
                    // The client is connected before the server's handler has the connection.
                    assertThat(handled.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                });
        assertThat(ended).hasValue("by itself");
        client.get().onDispose().block(PATIENCE);
    }

    @Test
    void aStopDoesNotWaitForAHandlerThatThrew() {
        contexts.withBean(RdmaConnectionHandler.class, () -> connection -> {
                    throw new IllegalStateException("a handler's");
                })
                .withPropertyValues("rdma.server.shutdown-timeout=1h")
                .run(context -> {
                    RdmaServerLifecycle lifecycle = context.getBean(RdmaServerLifecycle.class);
                    RdmaConnection client = context.getBean(RdmaClient.class)
                            .host("127.0.0.1")
                            .port(lifecycle.address().getPort())
                            .connectNow(PATIENCE);
                    client.onDispose().block(PATIENCE); // the server ends it because its handler failed
                    CountDownLatch stopped = new CountDownLatch(1);
                    lifecycle.stop(stopped::countDown);
                    assertThat(stopped.await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                            .isTrue();
                });
    }

    @Test
    void noDeviceDoesNotBreakTheContext() {
        contexts.withPropertyValues("rdma.device=mlx5_77")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RdmaResources.class)
                        .doesNotHaveBean(RdmaClient.class)
                        .doesNotHaveBean(RdmaHealthIndicator.class)
                        .doesNotHaveBean(RdmaMetrics.class));
    }

    @Test
    void aRequiredDeviceThatIsMissingFailsTheContext() {
        contexts.withPropertyValues("rdma.device=mlx5_77", "rdma.required=true")
                .run(context -> assertThat(context).hasFailed().getFailure().hasStackTraceContaining("mlx5_77"));
    }

    @Test
    void thereAreNoBeansIfRdmaIsDisabled() {
        contexts.withPropertyValues("rdma.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(RdmaResources.class)
                        .doesNotHaveBean(RdmaConnectionDetails.class)
                        .doesNotHaveBean(RdmaOptions.class)
                        .doesNotHaveBean(RdmaProperties.class));
    }

    /** Configuration of an application that reads the properties although nothing is configured. */
    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(RdmaProperties.class)
    static class ReadsProperties {}

    @Test
    void anApplicationMayReadThePropertiesIfRdmaIsDisabled() {
        contexts.withUserConfiguration(ReadsProperties.class)
                .withPropertyValues("rdma.enabled=false", "rdma.client.port=4711")
                .run(context -> assertThat(
                                context.getBean(RdmaProperties.class).client().port())
                        .isEqualTo(4711));
        contexts.withUserConfiguration(ReadsProperties.class)
                .run(context -> assertThat(context).hasSingleBean(RdmaProperties.class));
    }

    /** The auto-configurations that add something to a bean would need the properties, which are not there. */
    @Test
    void beansOfTheApplicationAreLeftAloneIfRdmaIsDisabled() {
        contexts.withConfiguration(AutoConfigurations.of(
                        RdmaRSocketAutoConfiguration.class, RdmaObservationAutoConfiguration.class))
                .withBean(RdmaResources.class, () -> RdmaResources.open(RdmaDevices.named("soft0")))
                .withBean(RdmaClient.class, () -> RdmaClient.create().device("soft0"))
                .withBean(RdmaServer.class, () -> RdmaServer.create().device("soft0"))
                .withBean(RSocketServer.class, RSocketServer::create)
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withPropertyValues("rdma.enabled=false", "rdma.rsocket.port=0")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RdmaClient.class)
                        .doesNotHaveBean("rdmaClientTransport")
                        .doesNotHaveBean("rdmaRSocketServerLifecycle")
                        .doesNotHaveBean("rdmaHealthIndicator")
                        .doesNotHaveBean("rdmaMetrics")
                        .doesNotHaveBean("rdmaClientObservations"));
    }

    @Test
    void beansOfTheApplicationWin() {
        RdmaClient own = RdmaClient.create().host("elsewhere");
        contexts.withBean(RdmaClient.class, () -> own)
                .run(context -> assertThat(context.getBean(RdmaClient.class)).isSameAs(own));
    }

    @Test
    void withoutMicrometerAndHealthTheRestWorks() {
        contexts.withClassLoader(
                        new FilteredClassLoader("io.micrometer", "org.springframework.boot.health.contributor"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(RdmaClient.class)
                        .doesNotHaveBean("rdmaMetrics")
                        .doesNotHaveBean("rdmaHealthIndicator"));
    }

    @Test
    void metersAreBound() {
        contexts.run(context -> {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            context.getBean(RdmaMetrics.class).bindTo(registry);
            assertThat(registry.get("rdma.connections").gauge().value()).isZero();
        });
    }
}
