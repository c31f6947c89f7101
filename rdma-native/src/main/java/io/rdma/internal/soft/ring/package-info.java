/** Links between software devices of one host: rings in memory that two processes share. See docs/internals/soft-device.md. */
@NullMarked
package io.rdma.internal.soft.ring;

import org.jspecify.annotations.NullMarked;
