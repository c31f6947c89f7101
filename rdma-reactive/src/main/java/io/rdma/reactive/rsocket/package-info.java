/**
 * RSocket over RDMA: each frame is a message. Needs {@code rsocket-core} on the class path, which nothing else does.
 */
@NullMarked
package io.rdma.reactive.rsocket;

import org.jspecify.annotations.NullMarked;
