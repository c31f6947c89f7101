package io.rdma.internal.ibv;

/**
 * {@code struct ibv_port_attr}, {@code ibv_query_port(3)}.
 *
 * @param state {@code IBV_PORT_*}
 * @param maxMtu {@code IBV_MTU_*}
 * @param activeMtu {@code IBV_MTU_*}
 * @param gidTblLen entries of the GID table
 * @param portCapFlags {@code IBV_PORT_*_SUP}
 * @param maxMsgSz bytes, unsigned
 * @param badPkeyCntr counter
 * @param qkeyViolCntr counter
 * @param pkeyTblLen entries of the partition table
 * @param lid base LID, 0 on Ethernet
 * @param smLid subnet manager's LID
 * @param lmc LID mask control
 * @param maxVlNum virtual lanes
 * @param smSl subnet manager's service level
 * @param subnetTimeout exponent
 * @param initTypeReply see the man page
 * @param activeWidth see the man page
 * @param activeSpeed see the man page
 * @param physState physical state
 * @param linkLayer {@code IBV_LINK_LAYER_*}
 * @param portCapFlags2 capabilities beyond the first mask
 */
public record PortAttr(
        int state,
        int maxMtu,
        int activeMtu,
        int gidTblLen,
        int portCapFlags,
        int maxMsgSz,
        int badPkeyCntr,
        int qkeyViolCntr,
        int pkeyTblLen,
        int lid,
        int smLid,
        int lmc,
        int maxVlNum,
        int smSl,
        int subnetTimeout,
        int initTypeReply,
        int activeWidth,
        int activeSpeed,
        int physState,
        int linkLayer,
        int portCapFlags2) {}
