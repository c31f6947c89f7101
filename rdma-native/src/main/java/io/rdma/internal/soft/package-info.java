/**
 * The software device {@code soft0}: a RoCEv2 endpoint for reliable connections, behind the seam
 * {@link io.rdma.internal.ffi.Verbs}. Not exported. See {@code docs/internals/soft-device.md}.
 */
@NullMarked
package io.rdma.internal.soft;

import org.jspecify.annotations.NullMarked;
