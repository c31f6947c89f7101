/** Programs whose start-up time is measured. */
@NullMarked
package io.rdma.samples.bench.startup;

import org.jspecify.annotations.NullMarked;
