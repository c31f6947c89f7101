/** Exchanges between two ends: over what users would take instead, over the software device, over a verbs device. */
@NullMarked
package io.rdma.samples.bench.exchange;

import org.jspecify.annotations.NullMarked;
