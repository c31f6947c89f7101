/** Times of operations over RDMA and over TCP, which the pages of this module draw as histograms. */
@NullMarked
package io.rdma.samples.latencies;

import org.jspecify.annotations.NullMarked;
