package io.rdma.internal.ffi;

/**
 * {@code struct ibv_srq} after creation.
 *
 * @param handle of the shared receive queue
 * @param attr what was granted
 */
public record Srq(long handle, SrqAttr attr) {}
