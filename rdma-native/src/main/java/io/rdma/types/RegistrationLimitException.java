package io.rdma.types;

/**
 * The failure of a registration that would exceed the budget of its resources. Nothing was registered, and existing
 * regions are not affected.
 */
public final class RegistrationLimitException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was asked for, the limit, and the remedy
     */
    public RegistrationLimitException(String message) {
        super(message);
    }
}
