package io.rdma.spring.boot;

/** Port that clients connect to. 0 means a free port to servers, and nothing to clients. */
final class ClientPort {
    private ClientPort() {}

    static boolean isValid(int port) {
        return port >= 1 && port <= 65535;
    }

    /**
     * Returns the port of details, which a bean of the application may have computed.
     *
     * @throws IllegalStateException if it is out of range
     */
    static int of(RdmaConnectionDetails details) {
        int port = details.getPort();
        if (!isValid(port)) {
            throw new IllegalStateException("getPort() of " + details.getClass().getName()
                    + " must return the port of a server, from 1 to 65535: " + port);
        }
        return port;
    }
}
