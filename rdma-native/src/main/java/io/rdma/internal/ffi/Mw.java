package io.rdma.internal.ffi;

/**
 * {@code struct ibv_mw} after allocation.
 *
 * @param handle of the window
 * @param rkey remote key; of a type 2 window only its upper 24 bits are given, the binding chooses the others
 */
public record Mw(long handle, int rkey) {}
