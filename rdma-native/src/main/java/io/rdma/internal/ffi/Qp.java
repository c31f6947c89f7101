package io.rdma.internal.ffi;

/**
 * {@code struct ibv_qp} after creation.
 *
 * @param handle of the queue pair
 * @param qpNum 24 bits
 * @param cap what was granted
 */
public record Qp(long handle, int qpNum, QpCap cap) {}
