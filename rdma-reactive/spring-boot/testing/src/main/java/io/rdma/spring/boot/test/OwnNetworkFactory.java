package io.rdma.spring.boot.test;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Factory that gives the contexts of {@link RdmaTest} a network of their own. */
final class OwnNetworkFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        return TestContextAnnotationUtils.hasAnnotation(testClass, RdmaTest.class) ? new OwnNetwork() : null;
    }
}
