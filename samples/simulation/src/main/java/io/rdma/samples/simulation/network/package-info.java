/** Simulated network: the wire, and the sockets of simulated hosts. */
@NullMarked
package io.rdma.samples.simulation.network;

import org.jspecify.annotations.NullMarked;
