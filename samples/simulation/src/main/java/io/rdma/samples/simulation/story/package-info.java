/** What is told of a run that failed. */
@NullMarked
package io.rdma.samples.simulation.story;

import org.jspecify.annotations.NullMarked;
