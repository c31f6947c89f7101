package io.rdma.spring.boot;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * Element whose conditions decide whether a bean is registered: the factory method of the bean, its class, or a class
 * around it.
 *
 * @param element method or class
 */
record BeanOrigin(AnnotatedElement element) {
    /** Returns the origins of a bean, the innermost first. */
    static List<BeanOrigin> of(ConfigurableListableBeanFactory factory, String name) {
        List<BeanOrigin> origins = new ArrayList<>();
        if (!factory.containsBeanDefinition(name)) { // a singleton that was registered as an object
            return origins;
        }
        BeanDefinition definition = factory.getMergedBeanDefinition(name);
        Method method = definition instanceof RootBeanDefinition root ? root.getResolvedFactoryMethod() : null;
        if (method != null) {
            origins.add(new BeanOrigin(method));
        }
        for (Class<?> type = source(factory, name, definition, method); type != null; type = type.getEnclosingClass()) {
            origins.add(new BeanOrigin(type));
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

    MergedAnnotations annotations() {
        return MergedAnnotations.from(element, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY);
    }

    /** Returns the type that a condition on a factory method requires if it names no bean: that of its own bean. */
    @Nullable
    ResolvableType deducedType() {
        return element instanceof Method method ? ResolvableType.forMethodReturnType(method) : null;
    }
}
