package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rdma.reactive.micrometer.RdmaMetrics;
import io.rdma.spring.boot.http.RdmaClientHttpConnector;
import io.rdma.spring.boot.http.RdmaHttpAutoConfiguration;
import io.rdma.spring.boot.http.RdmaHttpServerLifecycle;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.aot.AotDetector;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.http.server.reactive.HttpHandler;
import reactor.core.publisher.Mono;

/**
 * Tests of an application that is processed ahead of time, by a build on a machine without the device. A process of
 * their own loads the library in another class loader, beside generated classes of the same packages.
 */
@Tag("alone")
@CompileWithForkedClassLoader
class AheadOfTimeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String ABSENT = "mlx5_77";

    /** Application with a handler, and with beans that need a device or a client. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        RdmaAutoConfiguration.class,
        RdmaHealthAutoConfiguration.class,
        RdmaMetricsAutoConfiguration.class,
        RdmaRSocketAutoConfiguration.class,
        RdmaHttpAutoConfiguration.class,
        NeedsClient.class,
        NeedsInOtherWays.class
    })
    static class Application {
        @Bean
        RdmaConnectionHandler echo() {
            return connection -> connection.sendString(connection.receive().asString());
        }

        @Bean
        HttpHandler handler() {
            return (request, response) -> Mono.empty();
        }

        @Bean
        @ConditionalOnRdmaDevice
        StringBuilder needsDevice() {
            return new StringBuilder("made");
        }

        @Bean
        @Primary
        @ConditionalOnRdmaDevice
        Thing ofDevice() {
            return new Thing();
        }

        @Bean
        Thing first() {
            return new Thing();
        }

        @Bean
        Thing second() {
            return new Thing();
        }

        @Bean
        @ConditionalOnRdmaDevice
        @Qualifier("marked")
        Object marked() {
            return new Object();
        }
    }

    /** Bean of which the application has several. */
    static class Thing {}

    /** Auto-configuration whose conditions name beans in all the other ways. */
    @AutoConfiguration(after = RdmaAutoConfiguration.class)
    static class NeedsInOtherWays {
        @Bean
        @ConditionalOnBean(name = "rdmaClient")
        Object byName() {
            return new Object();
        }

        @Bean
        @ConditionalOnBean(type = "io.rdma.reactive.RdmaClient")
        Object byTypeName() {
            return new Object();
        }

        /** Requires another StringBuilder. */
        @Bean
        @ConditionalOnBean
        StringBuilder byDeducedType() {
            return new StringBuilder();
        }

        @Bean
        @ConditionalOnBean(annotation = Qualifier.class)
        Object byAnnotation() {
            return new Object();
        }

        @Bean
        @ConditionalOnSingleCandidate(RdmaClient.class)
        Object bySingleCandidate() {
            return new Object();
        }

        @Bean
        @ConditionalOnSingleCandidate(Thing.class)
        Object byPrimaryCandidate() {
            return new Object();
        }

        @Bean
        @ConditionalOnBean(name = "byName")
        Object byNameOfOneThatIsRemoved() {
            return new Object();
        }

        @Bean
        @ConditionalOnBean(type = "io.rdma.spring.boot.RdmaOptions", name = "first")
        Object ofOthers() {
            return new Object();
        }

        @Bean
        @ConditionalOnBean
        Thing ofDeducedTypeThatRemains() {
            return new Thing();
        }
    }

    private static final String[] NEED_DEVICE = {
        "byName",
        "byTypeName",
        "byDeducedType",
        "byAnnotation",
        "bySingleCandidate",
        "byPrimaryCandidate",
        "byNameOfOneThatIsRemoved"
    };
    private static final String[] DO_NOT = {"ofOthers", "ofDeducedTypeThatRemains"};

    /** Auto-configuration that depends on a client. */
    @AutoConfiguration(after = RdmaAutoConfiguration.class)
    @ConditionalOnBean(RdmaClient.class)
    static class NeedsClient {
        @Bean
        StringBuffer ofClient(RdmaClient client) {
            return new StringBuffer(client.address().toString());
        }
    }

    private static void set(GenericApplicationContext context, Map<String, Object> properties) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
    }

    /** Processes the application, and gives it to a check that may start it several times. */
    private static void processed(Consumer<ApplicationContextInitializer<GenericApplicationContext>> check) {
        processed(Map.of("rdma.device", ABSENT, "rdma.http.port", "0"), check);
    }

    private static void processed(
            Map<String, Object> properties, Consumer<ApplicationContextInitializer<GenericApplicationContext>> check) {
        AnnotationConfigApplicationContext build = new AnnotationConfigApplicationContext();
        set(build, properties);
        build.register(Application.class);
        TestGenerationContext generation = new TestGenerationContext();
        System.setProperty(AbstractAotProcessor.AOT_PROCESSING, "true");
        try {
            new ApplicationContextAotGenerator().processAheadOfTime(build, generation);
        } finally {
            System.clearProperty(AbstractAotProcessor.AOT_PROCESSING);
        }
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> {
            @SuppressWarnings("unchecked")
            ApplicationContextInitializer<GenericApplicationContext> initializer =
                    compiled.getInstance(ApplicationContextInitializer.class);
            System.setProperty(AotDetector.AOT_ENABLED, "true");
            try {
                check.accept(initializer);
            } finally {
                System.clearProperty(AotDetector.AOT_ENABLED);
            }
        });
    }

    private static GenericApplicationContext started(
            ApplicationContextInitializer<GenericApplicationContext> initializer, Map<String, Object> properties) {
        GenericApplicationContext context = new GenericApplicationContext();
        set(context, properties);
        initializer.initialize(context);
        context.refresh();
        return context;
    }

    @Test
    void theDeviceIsTriedWhereTheApplicationStarts() {
        processed(initializer -> {
            Map<String, Object> withDevice = Map.of(
                    "rdma.device", "soft0",
                    "rdma.server.host", "127.0.0.1",
                    "rdma.server.port", "0",
                    "rdma.http.host", "127.0.0.1",
                    "rdma.http.port", "0",
                    "rdma.connection.receive-buffers", "77");
            try (GenericApplicationContext context = started(initializer, withDevice)) {
                assertThat(context.getBean(RdmaResources.class).context().name())
                        .isEqualTo("soft0");
                assertThat(context.getBean(RdmaOptions.class).client().receiveBuffers())
                        .isEqualTo(77);
                assertThat(context.getBean("needsDevice")).hasToString("made");
                assertThat(context.getBean("ofClient")).hasToString("localhost/<unresolved>:7471");
                assertThat(context.getBeansOfType(RdmaHealthIndicator.class)).hasSize(1);
                assertThat(context.getBean(RdmaHttpServerLifecycle.class).isRunning())
                        .isTrue();
                assertThat(context.getBeansOfType(RdmaClientHttpConnector.class))
                        .hasSize(1);
                context.getBean(RdmaClient.class)
                        .host("127.0.0.1")
                        .port(context.getBean(RdmaServerLifecycle.class)
                                .address()
                                .getPort())
                        .connectNow(PATIENCE)
                        .disposeNow(PATIENCE);
            }
            try (GenericApplicationContext context = started(initializer, Map.of("rdma.device", ABSENT))) {
                assertThat(context.getBeansOfType(RdmaOptions.class)).hasSize(1);
                assertThat(context.getBeansOfType(RdmaResources.class)).isEmpty();
                assertThat(context.getBeansOfType(RdmaClient.class)).isEmpty();
                assertThat(context.getBeansOfType(RdmaServer.class)).isEmpty();
                assertThat(context.getBeansOfType(RdmaServerLifecycle.class)).isEmpty();
                assertThat(context.getBeansOfType(RdmaHealthIndicator.class)).isEmpty();
                assertThat(context.getBeansOfType(RdmaMetrics.class)).isEmpty();
                assertThat(context.containsBean("rdmaClientTransport")).isFalse();
                assertThat(context.getBeansOfType(RdmaHttpServerLifecycle.class))
                        .isEmpty();
                assertThat(context.containsBean("rdmaReactorResourceFactory")).isFalse();
                assertThat(context.containsBean("rdmaWebClientCustomizer")).isFalse();
                assertThat(context.containsBean("needsDevice")).isFalse();
                assertThat(context.containsBean("ofClient")).isFalse();
            }
        });
    }

    @Test
    void conditionsOnBeansAreEvaluatedAgainHoweverTheyNameThem() {
        processed(initializer -> {
            try (GenericApplicationContext context = started(
                    initializer, Map.of("rdma.device", "soft0", "rdma.server.port", "0", "rdma.http.port", "0"))) {
                assertThat(context.getBeanDefinitionNames())
                        .contains(NEED_DEVICE)
                        .contains(DO_NOT);
            }
            try (GenericApplicationContext context = started(initializer, Map.of("rdma.device", ABSENT))) {
                assertThat(context.getBeanDefinitionNames())
                        .doesNotContain(NEED_DEVICE)
                        .contains(DO_NOT);
            }
        });
    }

    @Test
    void aRequiredDeviceThatIsMissingFailsTheStartAndNotTheBuild() {
        processed(initializer -> assertThat(catchThrowable(
                        () -> started(initializer, Map.of("rdma.device", ABSENT, "rdma.required", "true"))))
                .hasStackTraceContaining("Property rdma.device with value '" + ABSENT + "' is invalid"));
    }

    @Test
    void rdmaIsEnabledOrDisabledWhereTheApplicationStarts() {
        processed(Map.of("rdma.enabled", "false"), initializer -> {
            try (GenericApplicationContext context =
                    started(initializer, Map.of("rdma.device", "soft0", "rdma.server.port", "0"))) {
                assertThat(context.getBeansOfType(RdmaServerLifecycle.class)).hasSize(1);
                assertThat(context.getBeansOfType(RdmaHealthIndicator.class)).hasSize(1);
            }
            Map<String, Object> disabled =
                    Map.of("rdma.enabled", "false", "rdma.device", "soft0", "rdma.client.port", "none");
            try (GenericApplicationContext context = started(initializer, disabled)) {
                assertThat(context.getBeanDefinitionNames())
                        .filteredOn(name -> name.startsWith("rdma"))
                        .containsExactly("rdma-" + RdmaProperties.class.getName()); // which are not bound
                assertThat(context.getBeansOfType(RdmaOptions.class)).isEmpty();
                assertThat(context.containsBean("ofClient")).isFalse();
                assertThat(context.getBean("needsDevice")).hasToString("made"); // which the application's own bean uses
            }
            assertThat(catchThrowable(() -> started(initializer, Map.of("rdma.enabled", "maybe"))))
                    .hasStackTraceContaining("rdma.enabled");
        });
    }
}
