/**
 * RSocket over RDMA: each frame is a message. Needs {@code rsocket-core} on the class path, which no other
 * package needs.
 */
@NullMarked
package io.rdma.reactive.rsocket;

import org.jspecify.annotations.NullMarked;
