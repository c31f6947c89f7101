/** Plans as text, and the search for a smaller plan with the same failure. */
@NullMarked
package io.rdma.samples.simulation.shrink;

import org.jspecify.annotations.NullMarked;
