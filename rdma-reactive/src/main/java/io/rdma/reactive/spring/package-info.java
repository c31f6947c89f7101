/**
 * Auto-configuration for Spring Boot 4: see docs/guide/spring.md. Needs Spring Boot on the class path, which nothing
 * else does.
 */
@NullMarked
package io.rdma.reactive.spring;

import org.jspecify.annotations.NullMarked;
