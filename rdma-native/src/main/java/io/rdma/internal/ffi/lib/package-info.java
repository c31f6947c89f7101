/**
 * Calls of libibverbs and librdmacm through {@code java.lang.foreign}, with the layouts of their structures: the real
 * libraries behind the seam {@link io.rdma.internal.ffi.Verbs}.
 */
@NullMarked
package io.rdma.internal.ffi.lib;

import org.jspecify.annotations.NullMarked;
