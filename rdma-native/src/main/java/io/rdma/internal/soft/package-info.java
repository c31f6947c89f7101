/**
 * The software device {@code soft0} behind the seam {@link io.rdma.internal.ffi.Verbs}: what a call of the verbs does
 * there. Not exported. Its rooms know each other in one direction: {@code cm} and {@code transport} →
 * {@code objects} → {@code wire}, {@code device} → {@code objects} and {@code link} → {@code wire}. See
 * {@code docs/internals/soft-device.md}.
 */
@NullMarked
package io.rdma.internal.soft;

import org.jspecify.annotations.NullMarked;
