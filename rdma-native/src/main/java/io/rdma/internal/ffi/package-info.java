/**
 * The seam: libibverbs in C's words. {@link io.rdma.internal.ffi.Verbs} is the contract, {@code FfmVerbs} its binding to the
 * real library; the software device implements the same interface in {@code io.rdma.internal.soft}. Not exported.
 */
@NullMarked
package io.rdma.internal.ffi;

import org.jspecify.annotations.NullMarked;
