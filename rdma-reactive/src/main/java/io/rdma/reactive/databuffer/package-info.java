/**
 * Messages as Spring's data buffers, without a copy, and Spring's codecs over them. Needs {@code spring-core}
 * and {@code netty-buffer} on the class path, which WebFlux on Netty includes. {@code io.rdma.reactive} itself
 * needs neither.
 */
@NullMarked
package io.rdma.reactive.databuffer;

import org.jspecify.annotations.NullMarked;
