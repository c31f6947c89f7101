package io.rdma.engine;

import io.rdma.types.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Failure of an operation because its connection is closed or lost. The cause is the first failure, or null after an
 * orderly close.
 */
public class ConnectionClosedException extends RdmaException {
    private static final long serialVersionUID = 1L;

    private final boolean mayHaveExecuted;

    /**
     * Creates the exception for a closed connection.
     *
     * @param message what happened
     * @param cause the first failure, or null
     * @param mayHaveExecuted whether the operation had been posted
     */
    public ConnectionClosedException(String message, @Nullable Throwable cause, boolean mayHaveExecuted) {
        super(message, cause);
        this.mayHaveExecuted = mayHaveExecuted;
    }

    /**
     * Creates the exception for a receiver of a lost connection.
     *
     * @param failure the first failure
     * @return not thrown
     */
    public static ConnectionClosedException lost(Throwable failure) {
        return new ConnectionClosedException("connection is lost: " + failure.getMessage(), failure, false);
    }

    /**
     * Returns whether the peer may have executed the operation: true once it was posted.
     *
     * @return false if it never reached the device
     */
    public boolean mayHaveExecuted() {
        return mayHaveExecuted;
    }
}
