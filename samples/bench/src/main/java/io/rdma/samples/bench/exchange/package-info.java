/**
 * Exchanges between two ends: over the alternatives to this library, over the software device, and over a verbs device.
 */
@NullMarked
package io.rdma.samples.bench.exchange;

import org.jspecify.annotations.NullMarked;
