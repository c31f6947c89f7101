/**
 * The seam: libibverbs and librdmacm under C's names, as interfaces. {@code io.rdma.internal.ffi.lib} implements it by
 * the real libraries, {@code io.rdma.internal.soft} by the software device. Not exported.
 */
@NullMarked
package io.rdma.internal.ffi;

import org.jspecify.annotations.NullMarked;
