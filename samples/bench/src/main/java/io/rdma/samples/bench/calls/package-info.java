/** The cost of a call of a provider's function, by the way it is made. */
@NullMarked
package io.rdma.samples.bench.calls;

import org.jspecify.annotations.NullMarked;
