package io.rdma.spring.boot.internal;

/** Port that clients connect to. 0 means a free port to servers, and nothing to clients. */
public final class ClientPort {
    private ClientPort() {}

    /**
     * Returns whether a server can listen at a port.
     *
     * @param port any number
     * @return whether it is from 1 to 65535
     */
    public static boolean isValid(int port) {
        return port >= 1 && port <= 65535;
    }

    /**
     * Returns the port of details, which a bean of the application may have computed.
     *
     * @param port port that the details have returned
     * @param details bean that an error names
     * @return the port
     * @throws IllegalStateException if the port is out of range
     */
    public static int of(int port, Object details) {
        if (!isValid(port)) {
            throw new IllegalStateException("getPort() of " + details.getClass().getName()
                    + " must return the port of a server, from 1 to 65535: " + port);
        }
        return port;
    }
}
