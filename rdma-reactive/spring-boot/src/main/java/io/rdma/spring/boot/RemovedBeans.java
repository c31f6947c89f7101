package io.rdma.spring.boot;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Beans that were removed from a factory after its conditions had been evaluated. A condition that one of them may have
 * met is evaluated again, with the beans that remain.
 */
final class RemovedBeans {
    private final ConfigurableListableBeanFactory factory;
    private final Set<String> names = new HashSet<>();
    private final Set<Class<?>> types = new HashSet<>();
    private final Set<String> annotations = new HashSet<>();

    RemovedBeans(ConfigurableListableBeanFactory factory) {
        this.factory = factory;
    }

    /** Adds a bean that is about to be removed, and that has some origins. */
    void add(String name, List<BeanOrigin> origins) {
        names.add(name);
        names.addAll(Arrays.asList(factory.getAliases(name)));
        Class<?> type = factory.getType(name, false);
        if (type != null) {
            types.add(type);
            addAnnotations(new BeanOrigin(type));
        }
        origins.stream()
                .filter(origin -> origin.deducedType() != null) // the factory method
                .forEach(this::addAnnotations);
    }

    private void addAnnotations(BeanOrigin annotated) {
        annotated.annotations().forEach(one -> annotations.add(one.getType().getName()));
    }

    /** Returns whether a bean of these origins requires a removed one, which no remaining bean replaces. */
    boolean wereRequiredBy(List<BeanOrigin> origins) {
        return origins.stream()
                .flatMap(origin -> RequiredBeans.of(origin, factory.getBeanClassLoader()).stream())
                .anyMatch(this::wereRequired);
    }

    private boolean wereRequired(RequiredBeans required) {
        return required.types().stream()
                        .filter(this::wasRemoved)
                        .anyMatch(type -> !isMet(required, remaining(required, type)))
                || required.names().stream().anyMatch(name -> names.contains(name) && !factory.containsBean(name))
                || required.annotations().stream()
                        .anyMatch(annotation -> annotations.contains(annotation) && !isPresent(required, annotation));
    }

    private boolean wasRemoved(ResolvableType required) {
        return types.stream().anyMatch(required.toClass()::isAssignableFrom);
    }

    /** Returns the candidates for a type, without beans that are there because of the same condition. */
    private List<String> remaining(RequiredBeans required, ResolvableType type) {
        String[] found = required.inParents()
                ? BeanFactoryUtils.beanNamesForTypeIncludingAncestors(factory, type, true, false)
                : factory.getBeanNamesForType(type, true, false);
        return Arrays.stream(found)
                .filter(name -> isCandidate(name) && !dependsOn(required, name))
                .toList();
    }

    private boolean isCandidate(String name) {
        BeanDefinition definition = definition(name);
        return definition == null
                || definition.isAutowireCandidate()
                        && !(definition instanceof AbstractBeanDefinition one && !one.isDefaultCandidate());
    }

    private boolean dependsOn(RequiredBeans required, String name) {
        return BeanOrigin.of(factory, name).contains(required.origin());
    }

    /** Returns whether candidates meet a condition, as Spring Boot decides it. */
    private boolean isMet(RequiredBeans required, List<String> candidates) {
        if (!required.single() || candidates.size() < 2) {
            return !candidates.isEmpty();
        }
        long primary = count(candidates, definition -> definition != null && definition.isPrimary());
        return primary == 1
                || primary == 0 && count(candidates, definition -> definition == null || !definition.isFallback()) == 1;
    }

    private long count(List<String> candidates, Predicate<@Nullable BeanDefinition> test) {
        return candidates.stream().filter(name -> test.test(definition(name))).count();
    }

    private @Nullable BeanDefinition definition(String name) {
        return factory.containsBeanDefinition(name) ? factory.getMergedBeanDefinition(name) : null;
    }

    private boolean isPresent(RequiredBeans required, String annotation) {
        Class<? extends Annotation> type = ClassUtils.resolveClassName(annotation, factory.getBeanClassLoader())
                .asSubclass(Annotation.class);
        return Arrays.stream(factory.getBeanNamesForAnnotation(type)).anyMatch(name -> !dependsOn(required, name));
    }
}
