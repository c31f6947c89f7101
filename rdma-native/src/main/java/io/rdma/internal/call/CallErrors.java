package io.rdma.internal.call;

import io.rdma.call.RdmaCallException;
import io.rdma.call.RdmaCallException.Status;
import org.jspecify.annotations.Nullable;

/** Errors of calls with their texts. */
public final class CallErrors {
    private CallErrors() {}

    /**
     * Returns the error of a request without a handler.
     *
     * @param name name of the call
     * @return not thrown
     */
    public static RdmaCallException unknownCall(String name) {
        return error(
                Status.UNKNOWN_CALL,
                "the server has no handler of the name \"" + name + "\": add one by handle(\"" + name
                        + "\", …) there, or correct the name",
                null);
    }

    /**
     * Returns the error of a request that is not a value of the handler's type.
     *
     * @param name name of the call
     * @param cause failure of the decoder
     * @return not thrown
     */
    public static RdmaCallException undecodableRequest(String name, Throwable cause) {
        return error(
                Status.UNDECODABLE_REQUEST,
                "the handler \"" + name + "\" cannot decode the request: use the same type, format and version of the"
                        + " class at both ends; the log of the server has the details",
                cause);
    }

    /**
     * Returns the error of an answer that is not a value of the caller's type.
     *
     * @param name name of the call
     * @param cause failure of the decoder
     * @return not thrown
     */
    public static RdmaCallException undecodableAnswer(String name, Throwable cause) {
        return error(
                Status.UNDECODABLE_ANSWER,
                "the answer of \"" + name + "\" cannot be decoded: use the same type, format and version of the class"
                        + " at both ends; the server has processed the request",
                cause);
    }

    /**
     * Returns the error of a call whose time is over.
     *
     * @param name name of the call
     * @return not thrown
     */
    public static RdmaCallException deadlineExceeded(String name) {
        return error(
                Status.DEADLINE_EXCEEDED,
                "the time of the call \"" + name + "\" is over: allow it more time, or ask for less; the server may"
                        + " have processed the request",
                null);
    }

    /**
     * Returns the answer to a request that the caller gave up.
     *
     * @param name name of the call
     * @return not thrown
     */
    public static RdmaCallException cancelled(String name) {
        return error(Status.CANCELLED, "the caller of \"" + name + "\" has cancelled the call", null);
    }

    /**
     * Returns the error of a request beyond the bound of the server.
     *
     * @param bound requests that the server processes at a time
     * @return not thrown
     */
    static RdmaCallException busy(int bound) {
        return error(
                Status.BUSY,
                "the server processes " + bound + " requests of this connection already: lower maxInFlight of the"
                        + " client, or raise that of the server",
                null);
    }

    /**
     * Returns the error of a request that arrives when the server ends.
     *
     * @return not thrown
     */
    static RdmaCallException stopping() {
        return error(Status.STOPPING, "the server is being stopped: call another one, or later", null);
    }

    /**
     * Returns the error of a request with the number of another one.
     *
     * @param id number of the call
     * @return not thrown
     */
    static RdmaCallException duplicate(int id) {
        return error(
                Status.UNKNOWN_VERSION,
                "a request with the number " + id + " is being processed already: let one client number the requests"
                        + " of a connection",
                null);
    }

    /**
     * Returns what a caller learns of a handler's failure: an error of the application as it is, of others the class.
     *
     * @param name name of the call
     * @param failure what the handler threw
     * @return not thrown
     */
    public static RdmaCallException failed(String name, Throwable failure) {
        if (failure instanceof RdmaCallException error) {
            return error;
        }
        return new RdmaCallException(
                Status.FAILED,
                failure.getClass().getName(),
                "the handler \"" + name + "\" failed: see the log of the server, or let the handler throw"
                        + " RdmaCallException.of(type, message) for what callers should know",
                failure);
    }

    private static RdmaCallException error(Status status, String message, @Nullable Throwable cause) {
        return new RdmaCallException(status, "", message, cause);
    }
}
