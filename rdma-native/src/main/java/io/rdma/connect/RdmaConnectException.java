package io.rdma.connect;

import io.rdma.verbs.RdmaException;
import org.jspecify.annotations.Nullable;

/** A connection, or a listener, could not be established. */
public class RdmaConnectException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /** What went wrong. */
    public enum Reason {
        /** The host name is unknown. */
        UNKNOWN_HOST,
        /** Nobody listens, or the host cannot be reached. */
        UNREACHABLE,
        /** The peer did not answer in time. */
        TIMEOUT,
        /** The peer said no; the message has its reason. */
        REJECTED,
        /** The peer speaks another version of the exchange. */
        VERSION_MISMATCH,
        /** The peer does not speak this exchange at all. */
        PROTOCOL_ERROR,
        /** The peer could not prove who it is, or did not accept our proof. */
        AUTHENTICATION,
        /** The peer does not count credits, and this side requires it, {@link FlowControl#CREDITS_REQUIRED}. */
        FLOW_CONTROL,
        /** The device cannot make the connection. */
        DEVICE,
        /** The local address is in use or not of this host. */
        BIND,
        /** The address leads to no RDMA device, here or on its way, {@code RDMA_CM_EVENT_ADDR_ERROR}. */
        ADDR_ERROR,
        /** There is no route to the address's device, {@code RDMA_CM_EVENT_ROUTE_ERROR}. */
        ROUTE_ERROR,
        /** An error while the two sides agreed, {@code RDMA_CM_EVENT_CONNECT_ERROR}. */
        CONNECT_ERROR,
        /** The caller gave up. */
        CANCELLED
    }

    private final Reason reason;
    private final int status;
    private final transient byte[] privateData;

    /**
     * A failed connect or bind.
     *
     * @param reason what went wrong
     * @param message with the remedy
     * @param cause or null
     */
    public RdmaConnectException(Reason reason, String message, @Nullable Throwable cause) {
        this(reason, message, cause, 0, new byte[0]);
    }

    /**
     * A failed connect by the connection manager.
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
     * The status of the connection manager's event.
     *
     * @return 0 if it was not the connection manager's, a negative errno, or of REJECTED the peer's reason: 8 nobody
     *     listens, 28 the application said no
     */
    public int status() {
        return status;
    }

    /**
     * What the peer sent with its rejection by the connection manager, padded with zeros.
     *
     * @return a copy, empty of other failures
     */
    public byte[] privateData() {
        return privateData == null ? new byte[0] : privateData.clone(); // null once it was serialised
    }

    /**
     * What went wrong.
     *
     * @return the reason
     */
    public Reason reason() {
        return reason;
    }
}
