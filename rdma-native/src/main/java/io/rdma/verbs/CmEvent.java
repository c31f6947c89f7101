package io.rdma.verbs;

import io.rdma.internal.ibv.AhAttr;
import io.rdma.internal.ibv.CmEventEntry;
import io.rdma.types.CmEventType;
import org.jspecify.annotations.Nullable;

/**
 * An event of a connection manager identifier, {@code rdma_get_cm_event(3)}. It is a copy; the event itself is already
 * acknowledged. Immutable.
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
     * Returns the type of the event.
     *
     * @return the type
     */
    public CmEventType type() {
        return type;
    }

    /**
     * Returns the status of the event.
     *
     * @return 0 for success, or a negative errno. For {@link CmEventType#REJECTED} it is the reason that the peer gave:
     *     8 if nothing listens on that port, 28 if the application rejected the request (IB specification volume 1,
     *     reasons of a REJ)
     */
    public int status() {
        return status;
    }

    /**
     * Returns the identifier that the event concerns.
     *
     * @return the identifier; for {@link CmEventType#CONNECT_REQUEST} a new one, which the receiver of this event owns
     */
    public CmIdentifier identifier() {
        return identifier;
    }

    /**
     * Returns the listening identifier that received a {@link CmEventType#CONNECT_REQUEST}.
     *
     * @return the listener; null for other events
     */
    public @Nullable CmIdentifier listener() {
        return listener;
    }

    /**
     * Returns the parameters that the peer sent. They are valid for {@link CmEventType#CONNECT_REQUEST},
     * {@link CmEventType#CONNECT_RESPONSE} and, on the active side, {@link CmEventType#ESTABLISHED}. For
     * {@link CmEventType#REJECTED} only the private data is valid. The values are given from the local point of view:
     * {@code responderResources} is the number of reads and atomics that the peer wants to have outstanding towards
     * this side. Private data may be padded with zeros.
     *
     * @return the parameters
     */
    public ConnectionParameters parameters() {
        return parameters;
    }

    /**
     * Returns the path to the peer or group of a datagram service, for an {@link AddressHandle}. The queue pair number
     * of the destination is in {@link #parameters}.
     *
     * @return the path; null for connections, and before the peer is known
     */
    public @Nullable AddressHandleAttributes destination() {
        return path == null || !path.isGlobal() && path.dlid() == 0 ? null : AddressHandleAttributes.of(path);
    }

    /**
     * Returns the queue key of the peer or group of a datagram service.
     *
     * @return the key; 0 for connections
     */
    public int qkey() {
        return qkey;
    }

    @Override
    public String toString() {
        return type + (status == 0 ? "" : " (status " + status + ")");
    }
}
