package io.rdma.samples.balanced;

import io.rdma.connect.AddressSupplier;
import io.rdma.connect.ServerAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;

/** The available servers, by name; stands in for DNS, Kubernetes or Spring Cloud. */
final class Servers implements AddressSupplier {
    private final Map<String, ServerAddress> known = new ConcurrentSkipListMap<>();

    void joined(String name, String host, int port) {
        known.put(name, ServerAddress.of(host, port));
    }

    void left(String name) {
        known.remove(name);
    }

    @Override
    public List<ServerAddress> addresses() {
        return List.copyOf(known.values());
    }
}
