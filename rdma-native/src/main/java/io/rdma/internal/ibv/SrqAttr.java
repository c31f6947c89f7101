package io.rdma.internal.ibv;

/**
 * {@code struct ibv_srq_attr}, {@code ibv_create_srq(3)}.
 *
 * @param maxWr depth, work requests
 * @param maxSge entries per request
 * @param srqLimit number of posted receives below which one event is generated; 0 if not armed. Ignored at creation
 */
public record SrqAttr(int maxWr, int maxSge, int srqLimit) {}
