/** The core workloads of YCSB over stores of keys and values: an {@code RdmaTable}, and a map behind RSocket. */
@NullMarked
package io.rdma.samples.bench.ycsb;

import org.jspecify.annotations.NullMarked;
