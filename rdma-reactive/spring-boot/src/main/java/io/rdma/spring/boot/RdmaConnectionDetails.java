package io.rdma.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details of the connection to a server, as a bean. A bean of the application, such as one for a container that a test
 * started, takes the place of {@code rdma.client.*} and, for clients, of {@code rdma.ssl.bundle}.
 */
public interface RdmaConnectionDetails extends ConnectionDetails {
    /**
     * Returns the host of the server.
     *
     * @return name or address
     */
    String getHost();

    /**
     * Returns the port of the server.
     *
     * @return from 1 to 65535
     */
    int getPort();

    /**
     * Returns the SSL bundle with which client and server authenticate each other.
     *
     * @return null for no TLS
     */
    default @Nullable SslBundle getSslBundle() {
        return null;
    }
}
