package io.rdma.verbs;

import io.rdma.internal.ffi.GidEntry;

/**
 * A valid entry of a port's GID table, {@code ibv_query_gid_table(3)}.
 *
 * @param gid the identifier
 * @param index index in the GID table of the port
 * @param port from 1
 * @param type RoCE version, or InfiniBand
 */
public record GidTableEntry(Gid gid, int index, int port, GidType type) {
    static GidTableEntry of(GidEntry e) {
        return new GidTableEntry(Gid.of(e.gid()), e.gidIndex(), e.portNum(), GidType.of(e.gidType()));
    }
}
