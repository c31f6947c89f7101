package io.rdma.internal.ffi;

/**
 * {@code struct ibv_mr} after registration.
 *
 * @param handle handle of the region
 * @param lkey local key
 * @param rkey remote key
 */
public record Mr(long handle, int lkey, int rkey) {}
