/**
 * Sockets that carry packets: batched system calls, injected faults, captures. It depends only on {@code wire} and
 * {@code ring}.
 */
@NullMarked
package io.rdma.internal.soft.link;

import org.jspecify.annotations.NullMarked;
