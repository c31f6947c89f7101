/**
 * Messages as Spring's data buffers, without a copy, and Spring's codecs over them. Needs {@code spring-core} and
 * {@code netty-buffer} on the class path, which WebFlux on Netty brings along and nothing else here needs.
 */
@NullMarked
package io.rdma.reactive.databuffer;

import org.jspecify.annotations.NullMarked;
