package io.rdma.verbs;

/**
 * The failure of a registration that would exceed the {@link RegistrationBudget}. Nothing was registered, and existing
 * regions are not affected.
 */
public final class RegistrationLimitException extends RdmaException {
    private static final long serialVersionUID = 1L;

    RegistrationLimitException(String message) {
        super(message);
    }
}
