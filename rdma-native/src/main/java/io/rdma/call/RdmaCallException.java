package io.rdma.call;

import io.rdma.types.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Failure of one call. The connection is open, and other calls go on. A handler throws {@link #of} to report an error
 * of the application to the caller.
 */
public final class RdmaCallException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /** Reason of the failure. */
    public enum Status {
        /** The handler reported an error of the application, see {@link #type()}. */
        APPLICATION,
        /** The handler failed; {@link #type()} is the class of its exception. The log of the server has the details. */
        FAILED,
        /** The server has no handler of that name. */
        UNKNOWN_CALL,
        /** The request is not a value of the type that the handler takes. */
        UNDECODABLE_REQUEST,
        /** The answer is not a value of the type that the caller expects. The handler has processed the request. */
        UNDECODABLE_ANSWER,
        /** One side uses a version of the protocol that the other does not know, or sent something else. */
        UNKNOWN_VERSION,
        /** The time of the call is over. The handler may have processed the request. */
        DEADLINE_EXCEEDED,
        /** The caller gave the call up. Only a server sends it, and no caller sees it. */
        CANCELLED,
        /** The server processes as many requests of this connection as it accepts. */
        BUSY,
        /** The server has been stopped and accepts no more requests. */
        STOPPING
    }

    private final Status status;
    private final String type;

    /**
     * Creates the exception; called by the front-ends.
     *
     * @param status reason of the failure
     * @param type type of the error, or an empty text
     * @param message what failed and what to do
     * @param cause the cause, or null
     */
    public RdmaCallException(Status status, String type, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
        this.type = type;
    }

    /**
     * Creates an error of the application, to be thrown by a handler. The caller gets an exception with the same type
     * and message, and with the status {@link Status#APPLICATION}.
     *
     * @param type name by which the caller recognizes the error, at most 255 bytes in UTF-8
     * @param message text for people; the caller gets up to 1,024 characters of it
     * @return not thrown
     */
    public static RdmaCallException of(String type, String message) {
        return new RdmaCallException(Status.APPLICATION, type, message, null);
    }

    /**
     * Returns the reason of the failure.
     *
     * @return the status
     */
    public Status status() {
        return status;
    }

    /**
     * Returns the type of the error: the name that a handler gave to {@link #of}, or the class of the exception with
     * which a handler failed.
     *
     * @return the type; empty for the other statuses
     */
    public String type() {
        return type;
    }
}
