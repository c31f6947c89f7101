package io.rdma.spring.boot;

import java.util.List;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.core.env.Environment;

/**
 * Decision about the device in an application that was processed ahead of time. The conditions of such an application
 * were evaluated by its build, on a machine that may lack the device. If the device is not usable here, this removes
 * the beans that need it, and then those that required a removed bean by {@link ConditionalOnBean} or
 * {@link ConditionalOnSingleCandidate}. In an application that was not processed the conditions have decided, and this
 * does nothing.
 */
final class DeviceAtRunTime implements BeanFactoryPostProcessor {
    private final Environment environment;

    DeviceAtRunTime(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        if (AotDetector.useGeneratedArtifacts()
                && factory instanceof BeanDefinitionRegistry registry
                && !DeviceTrial.outcomeOnce(factory, environment).isMatch()) {
            remove(factory, registry);
        }
    }

    private static void remove(ConfigurableListableBeanFactory factory, BeanDefinitionRegistry registry) {
        RemovedBeans removed = new RemovedBeans(factory);
        boolean again = true;
        while (again) { // a removed bean may have been the condition of another
            again = false;
            for (String name : registry.getBeanDefinitionNames()) {
                List<BeanOrigin> origins = BeanOrigin.of(factory, name);
                if (needsDevice(origins) || removed.wereRequiredBy(origins)) {
                    removed.add(name, origins);
                    registry.removeBeanDefinition(name);
                    again = true;
                }
            }
        }
    }

    private static boolean needsDevice(List<BeanOrigin> origins) {
        return origins.stream().anyMatch(origin -> origin.annotations().isPresent(ConditionalOnRdmaDevice.class));
    }
}
