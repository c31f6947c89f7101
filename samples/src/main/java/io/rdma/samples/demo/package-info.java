/** Processes that move data over RDMA and verify every byte. */
@NullMarked
package io.rdma.samples.demo;

import org.jspecify.annotations.NullMarked;
