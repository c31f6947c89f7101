package io.rdma.spring.boot.test;

import io.rdma.spring.boot.RdmaConnectionDetails;
import io.rdma.spring.boot.RdmaContextServer;
import io.rdma.spring.boot.RdmaProperties;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Details of a connection to the server of the same context, or, without one, to that of {@code rdma.client.*}. A bean
 * that needs a client while the context starts gets those properties, too.
 */
final class ServerOfTheContext implements RdmaConnectionDetails {
    private final ConfigurableApplicationContext context;
    private final ObjectProvider<RdmaContextServer<?>> servers;
    private final RdmaProperties properties;
    private final ObjectProvider<SslBundles> bundles;

    ServerOfTheContext(
            ConfigurableApplicationContext context,
            ObjectProvider<RdmaContextServer<?>> servers,
            RdmaProperties properties,
            ObjectProvider<SslBundles> bundles) {
        this.context = context;
        this.servers = servers;
        this.properties = properties;
        this.bundles = bundles;
    }

    @Override
    public String getHost() {
        InetSocketAddress server = address();
        if (server == null) {
            return properties.client().host();
        }
        return server.getAddress().isAnyLocalAddress()
                ? "127.0.0.1"
                : server.getAddress().getHostAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress server = address();
        return server == null ? properties.client().port() : server.getPort();
    }

    /** Returns the address of the server, null if there is none or the context, and so the server, still starts. */
    private @Nullable InetSocketAddress address() {
        return context.isRunning()
                ? servers.stream()
                        .filter(RdmaContextServer::isRunning)
                        .map(RdmaContextServer::address)
                        .findFirst()
                        .orElse(null)
                : null;
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        String name = properties.ssl().bundle();
        return name == null || name.isBlank() ? null : bundles.getObject().getBundle(name);
    }
}
