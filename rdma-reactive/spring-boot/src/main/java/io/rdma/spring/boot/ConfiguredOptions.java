package io.rdma.spring.boot;

import io.rdma.connect.ConnectionOptions;
import java.util.function.UnaryOperator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;

/** Connection options from the properties, the same for clients and servers. */
final class ConfiguredOptions implements UnaryOperator<ConnectionOptions> {
    private final RdmaProperties properties;
    private final ObjectProvider<SslBundles> bundles;

    ConfiguredOptions(RdmaProperties properties, ObjectProvider<SslBundles> bundles) {
        this.properties = properties;
        this.bundles = bundles;
    }

    @Override
    public ConnectionOptions apply(ConnectionOptions options) {
        ConnectionOptions sized = options.withMaxMessageSize(properties.maxMessageSize());
        String bundle = properties.ssl().bundle();
        return bundle == null
                ? sized
                : sized.withTls(bundles.getObject().getBundle(bundle).createSslContext());
    }
}
