package io.rdma.verbs;

/**
 * Registering memory would exceed the {@link RegistrationBudget}; nothing was registered, and whatever exists goes on.
 */
public final class RegistrationLimitException extends RdmaException {
    private static final long serialVersionUID = 1L;

    RegistrationLimitException(String message) {
        super(message);
    }
}
