/**
 * Requesters and responders of the reliable, the unreliable and the datagram transport. IB specification volume 1,
 * chapter 9.
 */
@NullMarked
package io.rdma.internal.soft.transport;

import org.jspecify.annotations.NullMarked;
