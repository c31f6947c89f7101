/**
 * RoCE version 2 on the wire, IB specification volume 1, annex A17: opcodes, packets and their codec, sequence numbers,
 * checksums, addresses, and the counters of packets. It depends on no other package of the software device.
 */
@NullMarked
package io.rdma.internal.soft.wire;

import org.jspecify.annotations.NullMarked;
