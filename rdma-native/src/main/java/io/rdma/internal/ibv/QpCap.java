package io.rdma.internal.ibv;

/**
 * {@code struct ibv_qp_cap}.
 *
 * @param maxSendWr send queue depth
 * @param maxRecvWr receive queue depth
 * @param maxSendSge entries per send
 * @param maxRecvSge entries per receive
 * @param maxInlineData bytes
 */
public record QpCap(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {}
