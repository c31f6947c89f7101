package io.rdma.spring.boot;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.env.Environment;

/**
 * Decision about the device in an application that was processed ahead of time. The conditions of such an application
 * were evaluated by its build, on a machine that may lack the device. If the device is not usable here, this removes
 * the beans that need it, and then those that required a removed bean by {@link ConditionalOnBean}. In an application
 * that was not processed the conditions have decided, and this does nothing.
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
        Set<Class<?>> removed = new HashSet<>();
        boolean again = true;
        while (again) { // a removed bean may have been the condition of another
            again = false;
            for (String name : registry.getBeanDefinitionNames()) {
                List<MergedAnnotations> origins = origins(factory, name);
                if (needsDevice(origins) || lacksBean(factory, origins, removed)) {
                    Class<?> type = factory.getType(name, false);
                    registry.removeBeanDefinition(name);
                    if (type != null) {
                        removed.add(type);
                    }
                    again = true;
                }
            }
        }
    }

    /** Returns the annotations of the factory method of a bean, of its class, and of the classes around it. */
    private static List<MergedAnnotations> origins(ConfigurableListableBeanFactory factory, String name) {
        BeanDefinition definition = factory.getMergedBeanDefinition(name);
        Method method = definition instanceof RootBeanDefinition root ? root.getResolvedFactoryMethod() : null;
        List<MergedAnnotations> origins = new ArrayList<>();
        if (method != null) {
            origins.add(annotations(method));
        }
        for (Class<?> type = source(factory, name, definition, method); type != null; type = type.getEnclosingClass()) {
            origins.add(annotations(type));
        }
        return origins;
    }

    private static @Nullable Class<?> source(
            ConfigurableListableBeanFactory factory, String name, BeanDefinition definition, @Nullable Method method) {
        if (method != null) {
            return method.getDeclaringClass();
        }
        String configuration = definition.getFactoryBeanName();
        return factory.getType(configuration == null ? name : configuration, false);
    }

    private static MergedAnnotations annotations(AnnotatedElement element) {
        return MergedAnnotations.from(element, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY);
    }

    private static boolean needsDevice(List<MergedAnnotations> origins) {
        return origins.stream().anyMatch(annotations -> annotations.isPresent(ConditionalOnRdmaDevice.class));
    }

    private static boolean lacksBean(
            ConfigurableListableBeanFactory factory, List<MergedAnnotations> origins, Set<Class<?>> removed) {
        return origins.stream()
                .map(annotations -> annotations.get(ConditionalOnBean.class))
                .filter(MergedAnnotation::isPresent)
                .flatMap(condition -> Arrays.stream(condition.getClassArray("value")))
                .anyMatch(type -> removed.stream().anyMatch(type::isAssignableFrom)
                        && factory.getBeanNamesForType(type, true, false).length == 0);
    }
}
