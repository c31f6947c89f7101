package io.rdma.spring.boot;

import io.rdma.connect.RdmaResources;
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the health indicator {@code rdma}, if {@code spring-boot-health} is on the class path. */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnRdmaEnabled
@ConditionalOnClass({ReactiveHealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(RdmaResources.class)
@ConditionalOnEnabledHealthIndicator("rdma")
public final class RdmaHealthAutoConfiguration {
    RdmaHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean(name = {"rdmaHealthIndicator", "rdmaHealthContributor"})
    RdmaHealthIndicator rdmaHealthIndicator(RdmaResources resources) {
        return new RdmaHealthIndicator(resources);
    }
}
