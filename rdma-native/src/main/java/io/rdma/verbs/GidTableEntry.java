package io.rdma.verbs;

/**
 * One valid entry of a port's GID table, {@code ibv_query_gid_table(3)}.
 *
 * @param gid the identifier
 * @param index in the table of the port
 * @param port from 1
 * @param type RoCE version
 */
public record GidTableEntry(Gid gid, int index, int port, GidType type) {}
