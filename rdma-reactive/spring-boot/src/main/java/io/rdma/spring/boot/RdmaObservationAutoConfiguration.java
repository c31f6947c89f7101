package io.rdma.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import io.rdma.reactive.micrometer.RdmaObservations;
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import reactor.core.publisher.Hooks;

/**
 * Auto-configuration of the observations of operations, if the application has an {@link ObservationRegistry}. They are
 * customizers that run first, so that an application's own customizers see the observed connections. If Micrometer's
 * context propagation is on the class path, the current observation follows subscribers onto completion loops.
 */
@AutoConfiguration(
        before = RdmaAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnRdmaEnabled
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "rdma.observations.enabled", matchIfMissing = true)
public final class RdmaObservationAutoConfiguration {
    private static final String MODE = "spring.reactor.context-propagation";

    RdmaObservationAutoConfiguration() {}

    /**
     * Lets thread-locals, the current observation among them, follow subscribers onto completion loops. Spring Boot
     * does so only if its property asks for it; a value of the property decides here, too.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "io.micrometer.context.ContextSnapshotFactory")
    static class Propagation {
        Propagation(Environment environment) {
            if (!Binder.get(environment).bind(MODE, String.class).isBound()) {
                Hooks.enableAutomaticContextPropagation();
            }
        }
    }

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    RdmaClientCustomizer rdmaClientObservations(ObservationRegistry registry) {
        return client -> RdmaObservations.observe(client, registry);
    }

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    RdmaServerCustomizer rdmaServerObservations(ObservationRegistry registry) {
        return server -> RdmaObservations.observe(server, registry);
    }
}
