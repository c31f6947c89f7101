/** Tickets by fetch-and-add on the memory of a server. */
@NullMarked
package io.rdma.samples.counter;

import org.jspecify.annotations.NullMarked;
