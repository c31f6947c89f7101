package io.rdma.spring.boot;

import io.rdma.connect.RdmaConnectException;

/** Failure of a server to listen at the address that properties give it. */
final class ServerNotListeningException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String properties;

    /**
     * Describes the failure.
     *
     * @param properties prefix of the properties with host and port
     * @param cause names the address
     */
    ServerNotListeningException(String properties, RdmaConnectException cause) {
        super(properties + " cannot listen: " + cause.getMessage() + ". " + remedy(properties), cause);
        this.properties = properties;
    }

    private static String remedy(String properties) {
        return "Set " + properties + ".port to a port that is free, or to 0 for any, and " + properties
                + ".host to a name or address of this host";
    }

    /** Returns what to do. */
    String remedy() {
        return remedy(properties);
    }
}
