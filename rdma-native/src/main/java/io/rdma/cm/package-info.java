/** Connecting: the exchange of queue pair numbers, addresses and limits over TCP, and the bring-up of queue pairs. librdmacm has its place beside it. */
@NullMarked
package io.rdma.cm;

import org.jspecify.annotations.NullMarked;
