/** Netty's channels and event loops over RDMA: byte streams for programs that are written for Netty. */
@NullMarked
package io.rdma.netty;

import org.jspecify.annotations.NullMarked;
