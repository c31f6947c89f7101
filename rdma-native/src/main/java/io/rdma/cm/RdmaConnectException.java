package io.rdma.cm;

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
        /** The device cannot make the connection. */
        DEVICE,
        /** The local address is in use or not of this host. */
        BIND,
        /** The caller gave up. */
        CANCELLED
    }

    private final Reason reason;

    /**
     * A failed connect or bind.
     *
     * @param reason what went wrong
     * @param message with the remedy
     * @param cause or null
     */
    public RdmaConnectException(Reason reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
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
