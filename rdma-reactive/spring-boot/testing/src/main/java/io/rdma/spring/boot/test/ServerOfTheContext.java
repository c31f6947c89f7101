package io.rdma.spring.boot.test;

import io.rdma.spring.boot.RdmaConnectionDetails;
import io.rdma.spring.boot.RdmaContextServer;
import io.rdma.spring.boot.RdmaProperties;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ConfigurableApplicationContext;

/** Details of a connection to the server of the same context. */
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
        return context.isRunning() ? "127.0.0.1" : properties.client().host();
    }

    /** Returns the port of the server. A bean that needs a client while the context starts gets that of a property. */
    @Override
    public int getPort() {
        return context.isRunning()
                ? servers.stream()
                        .filter(RdmaContextServer::isRunning)
                        .map(server -> server.address().getPort())
                        .findFirst()
                        .orElse(properties.client().port())
                : properties.client().port();
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        String name = properties.ssl().bundle();
        return name == null || name.isBlank() ? null : bundles.getObject().getBundle(name);
    }
}
