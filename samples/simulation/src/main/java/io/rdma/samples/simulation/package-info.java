/** Command of the simulator. */
@NullMarked
package io.rdma.samples.simulation;

import org.jspecify.annotations.NullMarked;
