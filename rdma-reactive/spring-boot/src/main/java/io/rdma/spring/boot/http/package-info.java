/** HTTP over RDMA: a server of the application's WebFlux handlers, and a connector of its {@code WebClient}. */
@NullMarked
package io.rdma.spring.boot.http;

import org.jspecify.annotations.NullMarked;
