package io.rdma.internal.ibv;

/**
 * {@code struct ibv_ah_attr} with its {@code ibv_global_route}. The array is not copied: treat it as immutable.
 *
 * @param dgid 16 bytes, network order
 * @param flowLabel 20 bits
 * @param sgidIndex index of the local GID
 * @param hopLimit 0..255
 * @param trafficClass 0..255
 * @param dlid LID on InfiniBand, 0 on Ethernet
 * @param sl service level
 * @param srcPathBits path bits of the source LID
 * @param staticRate {@code enum ibv_rate}
 * @param isGlobal whether the global route is used, as always on RoCE
 * @param portNum from 1
 */
@SuppressWarnings("ArrayRecordComponent")
public record AhAttr(
        byte[] dgid,
        int flowLabel,
        int sgidIndex,
        int hopLimit,
        int trafficClass,
        int dlid,
        int sl,
        int srcPathBits,
        int staticRate,
        boolean isGlobal,
        int portNum) {}
