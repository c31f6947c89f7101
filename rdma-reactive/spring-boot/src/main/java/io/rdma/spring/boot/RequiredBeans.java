package io.rdma.spring.boot;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotation.Adapt;
import org.springframework.util.ClassUtils;

/**
 * Beans that a {@link ConditionalOnBean} or {@link ConditionalOnSingleCandidate} requires. Its
 * {@code parameterizedContainer} is ignored.
 *
 * @param origin element that has the condition
 * @param types types of beans, each of which must be there
 * @param names names of beans, each of which must be there
 * @param annotations names of annotations, each of which a bean must have
 * @param inParents whether beans of parent contexts count
 * @param single whether exactly one bean of the type must be there, or a primary one
 */
record RequiredBeans(
        BeanOrigin origin,
        List<ResolvableType> types,
        List<String> names,
        List<String> annotations,
        boolean inParents,
        boolean single) {
    /** Returns the conditions of an origin that concern beans of this context. */
    static List<RequiredBeans> of(BeanOrigin origin, @Nullable ClassLoader loader) {
        return Stream.of(ConditionalOnBean.class, ConditionalOnSingleCandidate.class)
                .<MergedAnnotation<?>>flatMap(type -> origin.annotations().stream(type))
                .filter(condition -> search(condition) != SearchStrategy.ANCESTORS)
                .map(condition -> of(origin, condition, loader))
                .toList();
    }

    private static RequiredBeans of(BeanOrigin origin, MergedAnnotation<?> condition, @Nullable ClassLoader loader) {
        Map<String, Object> attributes = condition.asMap(Adapt.CLASS_TO_STRING);
        List<String> names = texts(attributes, "name");
        List<String> annotations = texts(attributes, "annotation");
        List<ResolvableType> types = Stream.of("value", "type")
                .map(attribute -> texts(attributes, attribute))
                .flatMap(Collection::stream)
                .filter(type -> ClassUtils.isPresent(type, loader))
                .map(type -> ResolvableType.forRawClass(ClassUtils.resolveClassName(type, loader)))
                .filter(type -> type.resolve() != Object.class) // stands for none
                .toList();
        ResolvableType deduced = origin.deducedType();
        if (deduced != null && types.isEmpty() && names.isEmpty() && annotations.isEmpty()) {
            types = List.of(deduced);
        }
        return new RequiredBeans(
                origin,
                types,
                names,
                annotations,
                search(condition) != SearchStrategy.CURRENT,
                condition.getType() == ConditionalOnSingleCandidate.class);
    }

    private static SearchStrategy search(MergedAnnotation<?> condition) {
        return condition.getEnum("search", SearchStrategy.class);
    }

    /** Returns an attribute that one condition has as an array and the other one as a single value. */
    private static List<String> texts(Map<String, Object> attributes, String name) {
        List<String> texts = new ArrayList<>();
        Object value = attributes.get(name);
        if (value instanceof String[] several) {
            texts.addAll(List.of(several));
        } else if (value instanceof String one && !one.isEmpty()) {
            texts.add(one);
        }
        return texts;
    }
}
