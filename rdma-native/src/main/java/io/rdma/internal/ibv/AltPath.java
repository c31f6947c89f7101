package io.rdma.internal.ibv;

/**
 * Alternate path of {@code struct ibv_qp_attr}, {@code ibv_modify_qp(3)}.
 *
 * @param ahAttr {@code alt_ah_attr}
 * @param pkeyIndex {@code alt_pkey_index}
 * @param portNum {@code alt_port_num}, from 1
 * @param timeout {@code alt_timeout}, 5 bits
 */
public record AltPath(AhAttr ahAttr, int pkeyIndex, int portNum, int timeout) {}
