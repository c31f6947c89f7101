/** Coverage of the library's branches by simulated runs. */
@NullMarked
package io.rdma.samples.simulation.coverage;

import org.jspecify.annotations.NullMarked;
