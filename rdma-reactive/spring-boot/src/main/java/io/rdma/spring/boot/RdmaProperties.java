package io.rdma.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties {@code rdma.*}.
 *
 * @param enabled whether the auto-configuration is active
 * @param required whether the application must not start without a device
 * @param device name of the device, such as mlx5_0 or soft0; the default device unless set
 * @param loops number of completion loops, each with a thread of its own
 * @param maxMessageSize largest message in bytes that is received, and, from 64 bytes to 16 MiB, largest frame that
 *     RSocket sends
 * @param ssl TLS of clients and servers
 * @param client address that clients connect to
 * @param server address that the server listens on
 * @param rsocket address that RSocket's server listens on
 */
@ConfigurationProperties("rdma")
public record RdmaProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("false") boolean required,
        @Nullable String device,
        @DefaultValue("1") int loops,
        @DefaultValue("67108864") int maxMessageSize,
        @DefaultValue Ssl ssl,
        @DefaultValue Client client,
        @DefaultValue Server server,
        @DefaultValue RSocket rsocket) {
    /**
     * Properties {@code rdma.ssl.*}.
     *
     * @param bundle name of the SSL bundle with which clients and servers authenticate each other; without it they do
     *     not authenticate
     */
    public record Ssl(@Nullable String bundle) {}

    /**
     * Properties {@code rdma.client.*}.
     *
     * @param host name or address of the server
     * @param port port of the server
     */
    public record Client(
            @DefaultValue("localhost") String host,
            @DefaultValue("7471") int port) {}

    /**
     * Properties {@code rdma.server.*}. The server runs if there is a bean of type RdmaConnectionHandler.
     *
     * @param host local name or address to listen on
     * @param port port to listen on, 0 for a free one
     * @param maxConnections largest number of simultaneous connections; further ones are refused
     * @param shutdownTimeout how long a stop waits for handlers to end by themselves
     */
    public record Server(
            @DefaultValue("localhost") String host,
            @DefaultValue("7471") int port,
            @DefaultValue("1000") int maxConnections,
            @DefaultValue("5s") Duration shutdownTimeout) {}

    /**
     * Properties {@code rdma.rsocket.*}. The server runs if the port is set and there is a service to offer: Spring's
     * message handler, or an RSocketServer of the application.
     *
     * @param host local name or address to listen on
     * @param port port to listen on, 0 for a free one; without it RSocket's server does not run
     */
    public record RSocket(
            @DefaultValue("localhost") String host,
            @Nullable Integer port) {}
}
