/**
 * RoCE version 2 on the wire, as in the IB specification, volume 1, annex 17: opcodes, packets and their codec,
 * sequence numbers, checksums, addresses, and the counters of packets. Knows no other room.
 */
@NullMarked
package io.rdma.internal.soft.wire;

import org.jspecify.annotations.NullMarked;
