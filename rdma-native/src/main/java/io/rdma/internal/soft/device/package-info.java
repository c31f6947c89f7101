/**
 * The running software device: its turns, posting, delivery of packets to queue pairs, multicast groups, and queue
 * pair 1.
 */
@NullMarked
package io.rdma.internal.soft.device;

import org.jspecify.annotations.NullMarked;
