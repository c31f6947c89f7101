package io.rdma.types;

import org.jspecify.annotations.Nullable;

/**
 * Root of all exceptions that this library throws or signals because of the device, the peer or the network. Misuse is
 * an {@link IllegalStateException} or {@link IllegalArgumentException} instead.
 */
public class RdmaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception with a message.
     *
     * @param message what failed and what to do
     */
    public RdmaException(String message) {
        super(message);
    }

    /**
     * Creates an exception with a message and a cause.
     *
     * @param message what failed and what to do
     * @param cause the cause, or null
     */
    public RdmaException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
