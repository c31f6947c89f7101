package io.rdma.spring.boot;

import io.rdma.connect.RdmaResources;
import io.rdma.reactive.RdmaClient;
import io.rdma.reactive.RdmaServer;
import io.rdma.spring.boot.internal.ClientPort;
import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import io.rdma.types.VerbsException;
import io.rdma.verbs.RdmaDevice;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of an open device, a client and a server from the properties {@code rdma.*}. A bean of the
 * application replaces each of them.
 */
@AutoConfiguration
@ConditionalOnRdmaEnabled
@EnableConfigurationProperties(RdmaProperties.class)
public final class RdmaAutoConfiguration {
    RdmaAutoConfiguration() {}

    @Bean
    static ConditionsAtRunTime rdmaConditionsAtRunTime(Environment environment) {
        return new ConditionsAtRunTime(environment);
    }

    @Bean
    @ConditionalOnMissingBean(RdmaConnectionDetails.class)
    PropertiesRdmaConnectionDetails rdmaConnectionDetails(
            RdmaProperties properties, ObjectProvider<SslBundles> bundles) {
        return new PropertiesRdmaConnectionDetails(properties, bundles.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaOptions rdmaOptions(
            RdmaProperties properties, RdmaConnectionDetails details, ObjectProvider<SslBundles> bundles) {
        return new RdmaOptions(properties, details, bundles.getIfAvailable());
    }

    /** Configuration of everything that needs a device. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnRdmaDevice
    static class Device {
        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        RdmaResources rdmaResources(RdmaProperties properties, RdmaOptions options) {
            RdmaDevice device = device(properties.device());
            if (device.isSoftware()) {
                SoftwareDeviceNotice.log(device.name(), properties.device());
            }
            return RdmaResources.open(device, options.resources());
        }

        private static RdmaDevice device(@Nullable String name) {
            try {
                return DeviceTrial.device(name);
            } catch (VerbsException e) {
                if (name == null || name.isBlank()) {
                    throw e; // the message names RDMA_DEVICE
                }
                throw new RefusedPropertyException(
                        "rdma.device", name, "There is no such device: " + e.getMessage() + ".", e);
            }
        }

        @Bean
        @ConditionalOnMissingBean
        RdmaClient rdmaClient(
                RdmaConnectionDetails details,
                RdmaOptions options,
                RdmaResources resources,
                ObjectProvider<RdmaClientCustomizer> customizers) {
            RdmaClient plain = RdmaClient.create().resources(resources).options(defaults -> options.client());
            RdmaClient client = new BoundOptions<>("rdma.client.", plain)
                    .set("host", details.getHost(), RdmaClient::host)
                    .get()
                    .port(ClientPort.of(details.getPort(), details));
            for (RdmaClientCustomizer customizer : customizers.orderedStream().toList()) {
                client = Objects.requireNonNull(customizer.customize(client), () -> customizer + " returned null");
            }
            return client;
        }

        @Bean
        @ConditionalOnMissingBean
        RdmaServer rdmaServer(
                RdmaProperties properties,
                RdmaOptions options,
                RdmaResources resources,
                ObjectProvider<RdmaServerCustomizer> customizers) {
            RdmaServer plain = RdmaServer.create()
                    .resources(resources)
                    .host(properties.server().listeningHost())
                    .options(defaults -> options.server())
                    .limits(defaults -> options.limits());
            RdmaServer server = new BoundOptions<>("rdma.server.", plain)
                    .set("port", properties.server().port(), RdmaServer::port)
                    .get();
            for (RdmaServerCustomizer customizer : customizers.orderedStream().toList()) {
                server = Objects.requireNonNull(customizer.customize(server), () -> customizer + " returned null");
            }
            return server;
        }

        @Bean
        @ConditionalOnBean(RdmaConnectionHandler.class)
        @ConditionalOnMissingBean
        RdmaServerLifecycle rdmaServerLifecycle(
                RdmaServer server, RdmaConnectionHandler handler, RdmaProperties properties, RdmaResources resources) {
            return new RdmaServerLifecycle(server, handler, properties.server().shutdownTimeout(), resources);
        }
    }
}
