package io.rdma.spring.boot.test;

import io.rdma.spring.boot.RdmaClientCustomizer;
import io.rdma.spring.boot.RdmaConnectionDetails;
import io.rdma.spring.boot.RdmaConnectionHandler;
import io.rdma.spring.boot.RdmaServerCustomizer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;
import org.springframework.util.ClassUtils;

/** Filter of the components of {@link RdmaTest}. */
final class RdmaTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<RdmaTest> {
    /** Types of the coroutines' starter, which is optional. */
    private static final List<String> COROUTINES = List.of(
            "io.rdma.coroutines.spring.boot.RdmaCoroutineHandler",
            "io.rdma.coroutines.spring.boot.RdmaConfigurationCustomizer");

    RdmaTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected Set<Class<?>> getKnownIncludes() {
        Set<Class<?>> includes = new HashSet<>(Set.of(
                RdmaConnectionHandler.class,
                RdmaConnectionDetails.class,
                RdmaClientCustomizer.class,
                RdmaServerCustomizer.class));
        ClassLoader loader = RdmaTypeExcludeFilter.class.getClassLoader();
        for (String name : COROUTINES) {
            if (ClassUtils.isPresent(name, loader)) {
                includes.add(ClassUtils.resolveClassName(name, loader));
            }
        }
        return includes;
    }
}
