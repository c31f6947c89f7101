package io.rdma.internal.ibv;

/**
 * {@code struct ibv_mw} after allocation.
 *
 * @param handle handle of the window
 * @param rkey remote key; for a type 2 window only the upper 24 bits are fixed, the binding chooses the others
 */
public record Mw(long handle, int rkey) {}
