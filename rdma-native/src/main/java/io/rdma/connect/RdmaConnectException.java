package io.rdma.connect;

import io.rdma.types.RdmaException;
import org.jspecify.annotations.Nullable;

/** Failure to establish a connection or a listener. */
public class RdmaConnectException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /** Reason of a failure. */
    public enum Reason {
        /** The host name is unknown. */
        UNKNOWN_HOST,
        /** Nothing listens at the address, or the host cannot be reached. */
        UNREACHABLE,
        /** The peer did not answer in time. */
        TIMEOUT,
        /** The peer rejected the connection; the message has its reason. */
        REJECTED,
        /** The peer speaks another version of the exchange. */
        VERSION_MISMATCH,
        /** The peer does not speak this exchange at all. */
        PROTOCOL_ERROR,
        /** The peer could not authenticate, or did not accept the authentication of this side. */
        AUTHENTICATION,
        /**
         * The peer does not count credits, or the connection is unreliable and counts none, and this side requires it,
         * {@link FlowControl#CREDITS_REQUIRED}.
         */
        FLOW_CONTROL,
        /**
         * One side has an alternate path, the other has none, {@link PathOptions#alternateGidAddress}; or both paths of
         * the peer end at one GID.
         */
        ALTERNATE_PATH,
        /** One side asks for another type of queue pair than the other: for an unreliable connection, or for XRC. */
        QUEUE_PAIR_TYPE,
        /** The device cannot make the connection. */
        DEVICE,
        /** The local address is in use, or does not belong to this host. */
        BIND,
        /** The address leads to no RDMA device, of this host or on the route, {@code RDMA_CM_EVENT_ADDR_ERROR}. */
        ADDR_ERROR,
        /** There is no route to the device of the address, {@code RDMA_CM_EVENT_ROUTE_ERROR}. */
        ROUTE_ERROR,
        /** The two sides failed to set up the connection, {@code RDMA_CM_EVENT_CONNECT_ERROR}. */
        CONNECT_ERROR,
        /** The caller cancelled the attempt. */
        CANCELLED,
        /** A pool has no servers to connect to: its {@link AddressSupplier} returned an empty list. */
        NO_SERVERS
    }

    private final Reason reason;
    private final int status;
    private final transient byte[] privateData;

    /**
     * Describes a failed connect or bind.
     *
     * @param reason what went wrong
     * @param message with the remedy
     * @param cause or null
     */
    public RdmaConnectException(Reason reason, String message, @Nullable Throwable cause) {
        this(reason, message, cause, 0, new byte[0]);
    }

    /**
     * Describes a failed connect by the connection manager.
     *
     * @param reason what went wrong
     * @param message with the remedy
     * @param cause or null
     * @param status of the event
     * @param privateData of a rejection; copied
     */
    public RdmaConnectException(
            Reason reason, String message, @Nullable Throwable cause, int status, byte[] privateData) {
        super(message, cause);
        this.reason = reason;
        this.status = status;
        this.privateData = privateData.clone();
    }

    /**
     * Returns the status of the connection manager's event.
     *
     * @return 0 if the failure is not of the connection manager; else a negative errno or, for REJECTED, the peer's
     *     reason: 8 if nothing listens, 9 if the peer's device has another transport, 28 if the application rejected
     *     the connection. With iWARP it is a negative errno for REJECTED, too
     */
    public int status() {
        return status;
    }

    /**
     * Returns the private data of a rejection by the connection manager, padded with zeros.
     *
     * @return a copy, empty for other failures
     */
    public byte[] privateData() {
        return privateData == null ? new byte[0] : privateData.clone(); // null after deserialization
    }

    /**
     * Returns what went wrong.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
