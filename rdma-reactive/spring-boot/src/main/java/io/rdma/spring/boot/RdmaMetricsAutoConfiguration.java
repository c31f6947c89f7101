package io.rdma.spring.boot;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.rdma.connect.RdmaResources;
import io.rdma.reactive.micrometer.RdmaMetrics;
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the meters of the open device, if Micrometer is on the class path. Boot binds them to
 * its registries.
 */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnRdmaEnabled
@ConditionalOnClass(MeterBinder.class)
@ConditionalOnBean(RdmaResources.class)
public final class RdmaMetricsAutoConfiguration {
    RdmaMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    RdmaMetrics rdmaMetrics(RdmaResources resources) {
        return new RdmaMetrics(resources);
    }
}
