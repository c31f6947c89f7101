/**
 * Auto-configuration for Spring Boot 4: see docs/guide/spring.md. Needs Spring Boot on the class path, which no other
 * package needs.
 */
@NullMarked
package io.rdma.reactive.spring;

import org.jspecify.annotations.NullMarked;
