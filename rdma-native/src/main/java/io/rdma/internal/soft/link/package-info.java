/**
 * Sockets that carry packets: batches of the kernel, loss and faults on purpose, captures. Knows {@code wire} alone.
 */
@NullMarked
package io.rdma.internal.soft.link;

import org.jspecify.annotations.NullMarked;
