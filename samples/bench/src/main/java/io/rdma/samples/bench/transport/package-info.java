/** Requests over transports of Netty: the one of this library, epoll and NIO, with HTTP and with gRPC. */
@NullMarked
package io.rdma.samples.bench.transport;

import org.jspecify.annotations.NullMarked;
