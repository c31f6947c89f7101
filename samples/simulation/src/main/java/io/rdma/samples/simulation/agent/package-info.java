/** Rewriting of classes, so that a simulation decides which thread goes on and what time it is. */
@NullMarked
package io.rdma.samples.simulation.agent;

import org.jspecify.annotations.NullMarked;
