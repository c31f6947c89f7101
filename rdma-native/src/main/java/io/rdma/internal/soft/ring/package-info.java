/**
 * Links between software devices of one host: rings of packets in memory that two processes share. See
 * docs/internals/soft-device.md. It depends only on {@code wire}.
 */
@NullMarked
package io.rdma.internal.soft.ring;

import org.jspecify.annotations.NullMarked;
