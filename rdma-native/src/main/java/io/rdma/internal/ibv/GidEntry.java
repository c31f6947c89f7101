package io.rdma.internal.ibv;

/**
 * {@code struct ibv_gid_entry}, {@code ibv_query_gid_table(3)}. The array is not copied: treat it as immutable.
 *
 * @param gid 16 bytes, network order
 * @param gidIndex index in the port's table
 * @param portNum port, from 1
 * @param gidType {@code IBV_GID_TYPE_*}
 * @param ndevIfindex interface index of the net device, 0 if none
 */
@SuppressWarnings("ArrayRecordComponent")
public record GidEntry(byte[] gid, int gidIndex, int portNum, int gidType, int ndevIfindex) {}
