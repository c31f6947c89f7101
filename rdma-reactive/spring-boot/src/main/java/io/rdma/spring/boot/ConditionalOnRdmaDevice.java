package io.rdma.spring.boot;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/**
 * Condition that matches if the device that the properties select is usable, or if {@code rdma.required} is true. The
 * device is tried at the start of the application, also of one that was processed ahead of time: the machine of the
 * build need not have the device.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnRdmaDevice.class)
public @interface ConditionalOnRdmaDevice {}
