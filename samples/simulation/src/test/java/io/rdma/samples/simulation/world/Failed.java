package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.shrink.Plans;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** Plans that have failed before a defect was mended. */
final class Failed {
    private static final String FILE = "/failed-plans.txt";

    private Failed() {}

    static List<Plan> plans() {
        try (InputStream file = Objects.requireNonNull(Failed.class.getResourceAsStream(FILE))) {
            return Plans.readAll(new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
