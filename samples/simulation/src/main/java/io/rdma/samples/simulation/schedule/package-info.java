/** The order of a simulation: its threads, their steps, its virtual time and its monitors. */
@NullMarked
package io.rdma.samples.simulation.schedule;

import org.jspecify.annotations.NullMarked;
