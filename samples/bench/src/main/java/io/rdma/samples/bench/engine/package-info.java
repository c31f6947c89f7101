/** JMH benchmarks over the immediate device. */
@NullMarked
package io.rdma.samples.bench.engine;

import org.jspecify.annotations.NullMarked;
