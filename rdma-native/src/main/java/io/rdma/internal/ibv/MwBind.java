package io.rdma.internal.ibv;

/**
 * {@code struct ibv_mw_bind} with its {@code struct ibv_mw_bind_info}, {@code ibv_bind_mw(3)}.
 *
 * @param wrId returned in the completion
 * @param sendFlags {@code IBV_SEND_FENCE}, {@code IBV_SEND_SIGNALED}
 * @param mr handle of the region
 * @param addr first byte, as work requests on the region name it
 * @param length in bytes; 0 makes the window empty
 * @param accessFlags rights of the peer, {@code IBV_ACCESS_*}
 */
public record MwBind(long wrId, int sendFlags, long mr, long addr, long length, int accessFlags) {}
