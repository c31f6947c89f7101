/** Reactor Netty over RDMA: its HTTP and TCP clients and servers run on event loops of this package. */
@NullMarked
package io.rdma.netty.reactor;

import org.jspecify.annotations.NullMarked;
