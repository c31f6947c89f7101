package io.rdma.internal.ibv;

/**
 * {@code struct ibv_qp} after creation.
 *
 * @param handle handle of the queue pair
 * @param qpNum 24 bits
 * @param cap granted capacity
 */
public record Qp(long handle, int qpNum, QpCap cap) {}
