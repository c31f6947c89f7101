/** Simulated hosts, what they do in a run, what goes wrong meanwhile, and what must hold. */
@NullMarked
package io.rdma.samples.simulation.world;

import org.jspecify.annotations.NullMarked;
