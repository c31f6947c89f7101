/**
 * The software device {@code soft0} behind the seam {@link io.rdma.internal.ffi.Verbs}: its implementation of the verbs
 * calls. Not exported. Its sub-packages depend on each other in one direction: {@code cm} → {@code device} →
 * {@code objects} and {@code link} → {@code wire}, {@code transport} → {@code objects} and {@code link}. See
 * {@code docs/internals/soft-device.md}.
 */
@NullMarked
package io.rdma.internal.soft;

import org.jspecify.annotations.NullMarked;
