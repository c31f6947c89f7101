package io.rdma.verbs;

import io.rdma.internal.ffi.AhAttr;
import io.rdma.internal.ffi.CmEventEntry;
import org.jspecify.annotations.Nullable;

/**
 * An event of a connection manager's identifier, {@code rdma_get_cm_event(3)}: a copy, the event itself is acknowledged
 * already. Immutable.
 */
public final class CmEvent {
    private final CmEventType type;
    private final int status;
    private final CmIdentifier identifier;
    private final @Nullable CmIdentifier listener;
    private final ConnectionParameters parameters;
    private final @Nullable AhAttr path;
    private final int qkey;

    CmEvent(CmEventEntry entry, CmIdentifier identifier, @Nullable CmIdentifier listener) {
        type = CmEventType.of(entry.event());
        status = entry.status();
        this.identifier = identifier;
        this.listener = listener;
        parameters = ConnectionParameters.of(entry.conn());
        path = entry.path();
        qkey = entry.qkey();
    }

    /**
     * What happened.
     *
     * @return the type
     */
    public CmEventType type() {
        return type;
    }

    /**
     * How it failed.
     *
     * @return 0, a negative errno, or of {@link CmEventType#REJECTED} the peer's reason: 8 nobody listens there, 28 the
     *     application said no (IB specification volume 1, reasons of a REJ)
     */
    public int status() {
        return status;
    }

    /**
     * What it is about.
     *
     * @return of {@link CmEventType#CONNECT_REQUEST} a new identifier that now belongs to whoever has this event
     */
    public CmIdentifier identifier() {
        return identifier;
    }

    /**
     * Of {@link CmEventType#CONNECT_REQUEST}, who listens.
     *
     * @return null of other events
     */
    public @Nullable CmIdentifier listener() {
        return listener;
    }

    /**
     * What the peer said, valid for {@link CmEventType#CONNECT_REQUEST}, {@link CmEventType#CONNECT_RESPONSE},
     * {@link CmEventType#ESTABLISHED} on the active side and, the private data only, {@link CmEventType#REJECTED}. Seen
     * from here: {@code responderResources} is what the peer wants to have under way towards this side. Private data
     * may be padded with zeros.
     *
     * @return the parameters
     */
    public ConnectionParameters parameters() {
        return parameters;
    }

    /**
     * Of a datagram service, the way to the peer or group, for an {@link AddressHandle}; its queue pair number is that
     * of {@link #parameters}.
     *
     * @return null of connections, and before the peer is known
     */
    public @Nullable AddressHandleAttributes destination() {
        return path == null || !path.isGlobal() && path.dlid() == 0 ? null : AddressHandleAttributes.of(path);
    }

    /**
     * Of a datagram service, the peer's or group's queue key.
     *
     * @return 0 of connections
     */
    public int qkey() {
        return qkey;
    }

    @Override
    public String toString() {
        return type + (status == 0 ? "" : " (status " + status + ")");
    }
}
