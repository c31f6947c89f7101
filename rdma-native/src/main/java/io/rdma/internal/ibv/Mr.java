package io.rdma.internal.ibv;

/**
 * {@code struct ibv_mr} after registration.
 *
 * @param handle handle of the region
 * @param lkey local key
 * @param rkey remote key
 */
public record Mr(long handle, int lkey, int rkey) {}
