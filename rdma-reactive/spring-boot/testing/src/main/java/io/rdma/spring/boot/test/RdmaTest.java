package io.rdma.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * Test of the RDMA parts of a Spring Boot application: its handlers, customizers and connection details, and the
 * auto-configuration of this library. Other auto-configurations are left out, and so are other components,
 * configurations among them: import the configuration that declares a handler by a method.
 *
 * <p>Each application context has a software device of its own, which tests may inject as a
 * {@link io.rdma.soft.SoftNetwork}. Its servers listen at free ports of the loopback address, whatever the properties
 * of the application say; RSocket's server needs such a property to listen. The client that a test injects connects to
 * the server, and to that of {@code rdma.server.*} if RSocket's listens, too. Properties of the test win over these.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(RdmaTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(RdmaTypeExcludeFilter.class)
@ImportAutoConfiguration
public @interface RdmaTest {
    /**
     * Returns properties of the test.
     *
     * @return each in the form key=value
     */
    String[] properties() default {};

    /**
     * Returns whether the RDMA parts are found by the scan of components.
     *
     * @return false for none but those of {@link #includeFilters}
     */
    boolean useDefaultFilters() default true;

    /**
     * Returns filters of components that the test needs as well.
     *
     * @return filters
     */
    Filter[] includeFilters() default {};

    /**
     * Returns filters of components that the test does without.
     *
     * @return filters
     */
    Filter[] excludeFilters() default {};

    /**
     * Returns auto-configurations that the test does without.
     *
     * @return classes
     */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
