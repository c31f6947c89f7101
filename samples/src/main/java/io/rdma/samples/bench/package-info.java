/** The instruments: what an operation costs, beside what else does it. */
@NullMarked
package io.rdma.samples.bench;

import org.jspecify.annotations.NullMarked;
