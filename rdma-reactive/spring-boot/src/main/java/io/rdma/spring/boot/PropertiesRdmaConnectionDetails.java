package io.rdma.spring.boot;

import io.rdma.spring.boot.internal.ClientPort;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * Details of the connection to a server from {@code rdma.client.*} and {@code rdma.ssl.bundle}. A port that no server
 * can have fails the start of the application, even if it has no device.
 */
final class PropertiesRdmaConnectionDetails implements RdmaConnectionDetails {
    private final RdmaProperties properties;
    private final @Nullable SslBundles bundles;

    PropertiesRdmaConnectionDetails(RdmaProperties properties, @Nullable SslBundles bundles) {
        this.properties = properties;
        this.bundles = bundles;
        int port = properties.client().port();
        if (!ClientPort.isValid(port)) {
            throw new InvalidConfigurationPropertyValueException(
                    "rdma.client.port", port, "Set the port that the server listens on, from 1 to 65535.");
        }
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
