package io.rdma.spring.boot.test;

import io.rdma.soft.SoftNetwork;
import java.util.HashMap;
import java.util.Map;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Customizer that gives a context a network of its own. All customizers are equal, so that tests with the same
 * configuration share a context, and its network.
 */
record OwnNetwork() implements ContextCustomizer {
    private static final String BEAN = "rdmaTestNetwork";
    private static final String RSOCKET_PORT = "rdma.rsocket.port";

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        SoftNetwork network = SoftNetwork.create();
        context.getBeanFactory().registerSingleton(BEAN, network);
        if (context.getBeanFactory() instanceof DefaultSingletonBeanRegistry registry) {
            registry.registerDisposableBean(BEAN, network::close); // the first one, so it is closed last
        }
        MutablePropertySources sources = context.getEnvironment().getPropertySources();
        MapPropertySource properties = new MapPropertySource(BEAN, properties(context.getEnvironment(), network));
        // The sources of the test are before this one.
        if (sources.contains(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
            sources.addBefore(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME, properties);
        } else {
            sources.addFirst(properties);
        }
    }

    private static Map<String, Object> properties(Environment environment, SoftNetwork network) {
        Map<String, Object> properties = new HashMap<>(Map.of(
                "rdma.device",
                network.device(),
                "rdma.required",
                true,
                "rdma.server.host",
                "127.0.0.1",
                "rdma.server.port",
                0,
                "rdma.rsocket.host",
                "127.0.0.1"));
        if (environment.containsProperty(RSOCKET_PORT)) { // without a port RSocket's server does not run
            properties.put(RSOCKET_PORT, 0);
        }
        return properties;
    }
}
