package io.rdma.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Root of everything this library throws or signals because of the device, the peer or the network. Misuse is an
 * {@link IllegalStateException} or {@link IllegalArgumentException} instead.
 */
public class RdmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * With a message that names what failed and what to do.
     *
     * @param message the message
     */
    public RdmaException(String message) {
        super(message);
    }

    /**
     * With a message and a cause.
     *
     * @param message names what failed and what to do
     * @param cause the cause, or null
     */
    public RdmaException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
