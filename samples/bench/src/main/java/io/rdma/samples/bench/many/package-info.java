/** Load over many connections whose ends are all on one completion loop. */
@NullMarked
package io.rdma.samples.bench.many;

import org.jspecify.annotations.NullMarked;
