/** Auto-configuration for Spring Boot 4, and the types of its beans: see docs/guide/spring.md. */
@NullMarked
package io.rdma.spring.boot;

import org.jspecify.annotations.NullMarked;
