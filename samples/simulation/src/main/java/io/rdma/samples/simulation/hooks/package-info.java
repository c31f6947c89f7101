/** Door from rewritten classes to the simulation. */
@NullMarked
package io.rdma.samples.simulation.hooks;

import org.jspecify.annotations.NullMarked;
