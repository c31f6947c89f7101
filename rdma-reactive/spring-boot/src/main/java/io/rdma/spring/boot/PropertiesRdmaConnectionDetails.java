package io.rdma.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** Details of the connection to a server from {@code rdma.client.*} and {@code rdma.ssl.bundle}. */
final class PropertiesRdmaConnectionDetails implements RdmaConnectionDetails {
    private final RdmaProperties properties;
    private final @Nullable SslBundles bundles;

    PropertiesRdmaConnectionDetails(RdmaProperties properties, @Nullable SslBundles bundles) {
        this.properties = properties;
        this.bundles = bundles;
    }

    @Override
    public String getHost() {
        return properties.client().host();
    }

    @Override
    public int getPort() {
        return properties.client().port();
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        return NamedBundle.bundle(properties.ssl().bundle(), bundles);
    }
}
