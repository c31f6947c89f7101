package io.rdma.spring.boot;

import io.rdma.connect.RdmaResources;
import io.rdma.engine.ResourceOptions;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration of an open device, a client and a server from the properties {@code rdma.*}. A bean of the
 * application replaces each of them.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "rdma.enabled", matchIfMissing = true)
@Conditional(OnRdmaDevice.class)
@EnableConfigurationProperties(RdmaProperties.class)
public final class RdmaAutoConfiguration {
    RdmaAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    RdmaResources rdmaResources(RdmaProperties properties) {
        return RdmaResources.open(
                OnRdmaDevice.device(properties.device()), ResourceOptions.DEFAULT.withLoops(properties.loops()));
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaClient rdmaClient(RdmaProperties properties, RdmaResources resources, ObjectProvider<SslBundles> bundles) {
        return RdmaClient.create()
                .resources(resources)
                .host(properties.client().host())
                .port(properties.client().port())
                .options(new ConfiguredOptions(properties, bundles));
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaServer rdmaServer(RdmaProperties properties, RdmaResources resources, ObjectProvider<SslBundles> bundles) {
        return RdmaServer.create()
                .resources(resources)
                .host(properties.server().host())
                .port(properties.server().port())
                .limits(limits -> limits.withConnections(properties.server().maxConnections()))
                .options(new ConfiguredOptions(properties, bundles));
    }

    @Bean
    @ConditionalOnBean(RdmaConnectionHandler.class)
    @ConditionalOnMissingBean
    RdmaServerLifecycle rdmaServerLifecycle(
            RdmaServer server, RdmaConnectionHandler handler, RdmaProperties properties) {
        return new RdmaServerLifecycle(server, handler, properties.server().shutdownTimeout());
    }
}
