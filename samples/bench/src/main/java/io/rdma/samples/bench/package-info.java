/** The benchmarks: the cost of an operation of this library, compared with its alternatives. */
@NullMarked
package io.rdma.samples.bench;

import org.jspecify.annotations.NullMarked;
