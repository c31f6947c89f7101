package io.rdma.internal.ibv;

/**
 * {@code struct ibv_cq} after creation.
 *
 * @param handle handle of the queue
 * @param cqe entries granted
 */
public record Cq(long handle, int cqe) {}
