package io.rdma.spring.boot.test;

import io.rdma.spring.boot.RdmaAutoConfiguration;
import io.rdma.spring.boot.RdmaConnectionDetails;
import io.rdma.spring.boot.RdmaContextServer;
import io.rdma.spring.boot.RdmaProperties;
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of {@link RdmaTest}: the client connects to the server of the same context. */
@AutoConfiguration(before = RdmaAutoConfiguration.class)
@ConditionalOnRdmaEnabled
public final class RdmaTestAutoConfiguration {
    private static final List<String> CLIENTS = List.of("rdmaClient", "rdmaClientTransport", "rdmaCoroutineClient");

    RdmaTestAutoConfiguration() {}

    /** Defers the client until a test injects it: the server listens by then and has a port. */
    @Bean
    static BeanFactoryPostProcessor rdmaTestLazyClients() {
        return factory -> CLIENTS.stream()
                .filter(factory::containsBeanDefinition)
                .forEach(name -> factory.getBeanDefinition(name).setLazyInit(true));
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaConnectionDetails rdmaTestConnectionDetails(
            ConfigurableApplicationContext context,
            ObjectProvider<RdmaContextServer<?>> servers,
            RdmaProperties properties,
            ObjectProvider<SslBundles> bundles) {
        return new ServerOfTheContext(context, servers, properties, bundles);
    }
}
