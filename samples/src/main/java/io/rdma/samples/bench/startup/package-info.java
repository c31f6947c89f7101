/** Programs whose start is timed. */
@NullMarked
package io.rdma.samples.bench.startup;

import org.jspecify.annotations.NullMarked;
