package io.rdma.internal.ibv;

/**
 * {@code struct ibv_srq} after creation.
 *
 * @param handle handle of the shared receive queue
 * @param attr granted attributes
 */
public record Srq(long handle, SrqAttr attr) {}
