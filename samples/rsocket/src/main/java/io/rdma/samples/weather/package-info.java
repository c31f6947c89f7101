/** A weather service with Spring Boot whose controller is reached by RSocket over RDMA, and a client of it. */
@NullMarked
package io.rdma.samples.weather;

import org.jspecify.annotations.NullMarked;
