/** Requests over transports of this library, epoll and NIO: with HTTP, with gRPC and with RSocket. */
@NullMarked
package io.rdma.samples.bench.transport;

import org.jspecify.annotations.NullMarked;
