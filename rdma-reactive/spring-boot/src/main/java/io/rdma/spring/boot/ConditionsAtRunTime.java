package io.rdma.spring.boot;

import io.rdma.spring.boot.internal.ConditionalOnRdmaEnabled;
import io.rdma.spring.boot.internal.OnRdmaEnabled;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.core.env.Environment;

/**
 * Decision about {@code rdma.enabled} and about the device in an application that was processed ahead of time. The
 * conditions of such an application were evaluated by its build, on a machine that may lack the device. If RDMA is
 * disabled here, or the device is not usable, this removes the beans that need it, and then those that required a
 * removed bean by {@link ConditionalOnBean} or {@link ConditionalOnSingleCandidate}. In an application that was not
 * processed the conditions have decided, and this does nothing.
 */
final class ConditionsAtRunTime implements BeanFactoryPostProcessor {
    private final Environment environment;

    ConditionsAtRunTime(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        if (AotDetector.useGeneratedArtifacts() && factory instanceof BeanDefinitionRegistry registry) {
            boolean enabled = OnRdmaEnabled.isEnabled(environment);
            remove(factory, registry, enabled);
            if (!enabled) {
                leaveUnbound(factory);
            }
        }
    }

    private void remove(ConfigurableListableBeanFactory factory, BeanDefinitionRegistry registry, boolean enabled) {
        RemovedBeans removed = new RemovedBeans(factory);
        boolean again = true;
        while (again) { // a removed bean may have been the condition of another
            again = false;
            for (String name : registry.getBeanDefinitionNames()) {
                List<BeanOrigin> origins = BeanOrigin.of(factory, name);
                if (!enabled && have(origins, ConditionalOnRdmaEnabled.class)
                        || have(origins, ConditionalOnRdmaDevice.class) && !hasDevice(factory)
                        || removed.wereRequiredBy(origins)) {
                    removed.add(name, origins);
                    registry.removeBeanDefinition(name);
                    again = true;
                }
            }
        }
    }

    private static boolean have(List<BeanOrigin> origins, Class<? extends Annotation> condition) {
        return origins.stream().anyMatch(origin -> origin.annotations().isPresent(condition));
    }

    private boolean hasDevice(ConfigurableListableBeanFactory factory) {
        return DeviceTrial.outcomeOnce(factory, environment).isMatch();
    }

    /** Lets a start succeed with properties that cannot be bound, unless a bean of the application reads them. */
    private static void leaveUnbound(ConfigurableListableBeanFactory factory) {
        Stream.of(factory.getBeanNamesForType(RdmaProperties.class, true, false))
                .filter(factory::containsBeanDefinition)
                .forEach(name -> factory.getBeanDefinition(name).setLazyInit(true));
    }
}
