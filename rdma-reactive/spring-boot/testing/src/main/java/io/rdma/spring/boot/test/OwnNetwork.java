package io.rdma.spring.boot.test;

import io.rdma.soft.SoftNetwork;
import java.util.Map;
import org.springframework.beans.factory.support.DefaultSingletonBeanRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.support.TestPropertySourceUtils;

/**
 * Customizer that gives a context a network of its own. All customizers are equal, so that tests with the same
 * configuration share a context, and its network.
 */
record OwnNetwork() implements ContextCustomizer {
    private static final String BEAN = "rdmaTestNetwork";
    private static final String TEST_PROPERTIES = TestPropertySourceUtils.INLINED_PROPERTIES_PROPERTY_SOURCE_NAME;

    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        SoftNetwork network = SoftNetwork.create();
        context.getBeanFactory().registerSingleton(BEAN, network);
        if (context.getBeanFactory() instanceof DefaultSingletonBeanRegistry registry) {
            registry.registerDisposableBean(BEAN, network::close); // the first one, so it is closed last
        }
        MapPropertySource properties = new MapPropertySource(
                BEAN,
                Map.of(
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
        MutablePropertySources sources = context.getEnvironment().getPropertySources();
        if (sources.contains(TEST_PROPERTIES)) {
            sources.addAfter(TEST_PROPERTIES, properties);
        } else {
            sources.addFirst(properties);
        }
    }
}
