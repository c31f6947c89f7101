/** A service that answers datagrams, and a client that repeats those that are lost. */
@NullMarked
package io.rdma.samples.datagrams;

import org.jspecify.annotations.NullMarked;
