package io.rdma.types;

/**
 * A valid entry of a port's GID table, {@code ibv_query_gid_table(3)}.
 *
 * @param gid the identifier
 * @param index index in the GID table of the port
 * @param port from 1
 * @param type RoCE version, or InfiniBand
 */
public record GidTableEntry(Gid gid, int index, int port, GidType type) {}
