package io.rdma.test;

import io.rdma.verbs.RdmaDevices;
import java.util.Optional;

/** Source of an object that a test takes as a parameter. */
@FunctionalInterface
interface Fixture {
    /** Returns the object for a test that has this network. */
    Object from(TestNetwork test);

    /** Returns the source of a type. Types are compared by name, because rdma-reactive is an optional dependency. */
    static Optional<Fixture> of(Class<?> type) {
        return switch (type.getName()) {
            case "io.rdma.soft.SoftNetwork" -> Optional.of(TestNetwork::network);
            case "io.rdma.verbs.RdmaDevice" ->
                Optional.of(test -> RdmaDevices.named(test.network().device()));
            case "io.rdma.connect.RdmaResources" -> Optional.of(TestNetwork::resources);
            case "io.rdma.reactive.RdmaServer" -> Optional.of(ReactorFixtures::server);
            case "io.rdma.reactive.RdmaClient" -> Optional.of(ReactorFixtures::client);
            default -> Optional.empty();
        };
    }
}
