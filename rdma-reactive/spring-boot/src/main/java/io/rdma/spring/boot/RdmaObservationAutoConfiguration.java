package io.rdma.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import io.rdma.reactive.micrometer.RdmaObservations;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of the observations of operations, if the application has an {@link ObservationRegistry}. They are
 * customizers that run first, so that an application's own customizers see the observed connections.
 */
@AutoConfiguration(
        before = RdmaAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@Conditional(OnRdmaEnabled.class)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = "rdma.observations.enabled", matchIfMissing = true)
public final class RdmaObservationAutoConfiguration {
    RdmaObservationAutoConfiguration() {}

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
