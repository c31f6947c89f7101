package io.rdma.verbs;

import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.internal.ibv.ConnParam;
import io.rdma.types.CmEventType;

/**
 * Events of the connection manager that a test cannot cause: the removal of a device, or a route that a subnet manager
 * does not know.
 */
public final class CmEventOf {
    private CmEventOf() {}

    /** Creates an event about an identifier, as if it had been taken from its channel. */
    public static CmEvent type(CmEventType type, int status, CmIdentifier identifier) {
        ConnParam nothing = new ConnParam(new byte[0], 0, 0, 0, 0, 0, false, 0);
        return new CmEvent(new CmEventEntry(type.code(), status, 1, 0, nothing, null, 0), identifier, null);
    }
}
