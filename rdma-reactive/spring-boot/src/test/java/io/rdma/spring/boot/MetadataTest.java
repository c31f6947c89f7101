package io.rdma.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Tests of the metadata by which editors complete and explain properties. */
class MetadataTest {
    /** Properties without a default, because nothing is set then. */
    private static final Set<String> WITHOUT_DEFAULT = Set.of(
            "rdma.device",
            "rdma.resources.max-completion-queue-entries",
            "rdma.resources.max-registered-bytes",
            "rdma.http.event-loops",
            "rdma.http.host",
            "rdma.http.port",
            "rdma.rsocket.host",
            "rdma.rsocket.port",
            "rdma.server.host",
            "rdma.ssl.bundle",
            "rdma.connection.path.service-level",
            "rdma.connection.path.traffic-class",
            "rdma.connection.path.hop-limit",
            "rdma.connection.path.flow-label",
            "rdma.connection.path.partition-key",
            "rdma.connection.path.partition-index",
            "rdma.connection.path.port",
            "rdma.connection.path.gid-type",
            "rdma.connection.path.gid-address",
            "rdma.connection.path.alternate-gid-address",
            "rdma.connection.path.peer-alternate-gid-address",
            "rdma.resources.completion-vectors",
            "rdma.resources.processors");

    private static Map<String, Object> metadata() throws IOException {
        URL classes = RdmaProperties.class.getProtectionDomain().getCodeSource().getLocation();
        String prefix = classes.getPath().endsWith(".jar") ? "jar:" + classes + "!/" : classes.toString();
        try (InputStream in = URI.create(prefix + "META-INF/spring-configuration-metadata.json")
                .toURL()
                .openStream()) {
            String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return new Yaml().load(json.replace("\\/", "/")); // otherwise JSON is YAML
        }
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(String name) throws IOException {
        return (List<Map<String, Object>>) metadata().get(name);
    }

    @Test
    void eachPropertyHasADescriptionATypeAndADefault() throws IOException {
        List<Map<String, Object>> properties = list("properties");
        assertThat(properties).hasSizeGreaterThan(45).allSatisfy(property -> {
            assertThat(property.get("name").toString()).startsWith("rdma.");
            assertThat(property.get("type")).isNotNull();
            assertThat(property.getOrDefault("description", "").toString())
                    .as("description of " + property.get("name"))
                    .isNotBlank();
        });
        assertThat(properties.stream()
                        .filter(property -> property.get("defaultValue") == null)
                        .map(property -> property.get("name").toString())
                        .collect(Collectors.toSet()))
                .isEqualTo(WITHOUT_DEFAULT);
    }

    @Test
    void namesOfDevicesAndHostsAreHinted() throws IOException {
        assertThat(list("hints").stream().map(hint -> hint.get("name").toString()))
                .contains("rdma.device", "rdma.server.host", "rdma.rsocket.host", "rdma.http.host");
    }
}
