package io.rdma.spring.boot.internal;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;

/** Types that the application's class path need not have. */
public final class OptionalType {
    private OptionalType() {}

    /**
     * Returns whether there is a bean of a type.
     *
     * @param beans the beans
     * @param type name of the type
     * @return false also if the type is not on the class path
     */
    public static boolean hasBean(ListableBeanFactory beans, String type) {
        ClassLoader loader = OptionalType.class.getClassLoader();
        return ClassUtils.isPresent(type, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(type, loader)).length > 0;
    }
}
