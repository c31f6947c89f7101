package io.rdma.spring.boot;

import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** Look-up of the SSL bundle that {@code rdma.ssl.bundle} names. */
final class NamedBundle {
    private static final String PROPERTY = "rdma.ssl.bundle";

    private NamedBundle() {}

    /**
     * Returns the bundle.
     *
     * @param name value of the property
     * @param bundles bundles of the application, null if it has none
     * @return null if no bundle is named
     * @throws InvalidConfigurationPropertyValueException if there is no such bundle
     */
    static @Nullable SslBundle bundle(@Nullable String name, @Nullable SslBundles bundles) {
        return name == null || name.isBlank() ? null : existing(name, bundles).getBundle(name);
    }

    /**
     * Returns a TLS context that follows the updates of the bundle.
     *
     * @param name value of the property
     * @param bundles bundles of the application, null if it has none
     * @return null if no bundle is named
     * @throws InvalidConfigurationPropertyValueException if there is no such bundle
     */
    static @Nullable SSLContext context(@Nullable String name, @Nullable SslBundles bundles) {
        return name == null || name.isBlank() ? null : ReloadingSslContext.of(existing(name, bundles), name);
    }

    private static SslBundles existing(String name, @Nullable SslBundles bundles) {
        if (bundles == null) {
            throw new InvalidConfigurationPropertyValueException(
                    PROPERTY,
                    name,
                    "The application has no SSL bundles: keep Spring Boot's SslAutoConfiguration, or remove the"
                            + " property.");
        }
        try {
            bundles.getBundle(name);
            return bundles;
        } catch (NoSuchSslBundleException e) {
            List<String> names = bundles.getBundleNames();
            throw new RefusedPropertyException(
                    PROPERTY,
                    name,
                    "No SSL bundle has this name; there " + (names.isEmpty() ? "are none" : "are " + names)
                            + ". Define spring.ssl.bundle.pem." + name + ".* or spring.ssl.bundle.jks." + name
                            + ".*, or name another one.",
                    e);
        }
    }
}
