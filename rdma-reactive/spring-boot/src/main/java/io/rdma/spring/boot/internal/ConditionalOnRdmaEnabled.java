package io.rdma.spring.boot.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/** Condition of all auto-configurations of RDMA: it matches unless {@code rdma.enabled} is false. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnRdmaEnabled.class)
public @interface ConditionalOnRdmaEnabled {}
