/** Test slice for Spring Boot 4: see docs/guide/testing.md. */
@NullMarked
package io.rdma.spring.boot.test;

import org.jspecify.annotations.NullMarked;
