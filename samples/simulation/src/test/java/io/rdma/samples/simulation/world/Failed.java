package io.rdma.samples.simulation.world;

import io.rdma.samples.simulation.shrink.Plans;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Plans that have failed before a defect was mended. */
final class Failed {
    private static final String FILE = "/failed-plans.txt";
    private static final int ORDERS = 20;

    private Failed() {}

    /**
     * Returns the plans, each in several orders of the threads. The seed with which one failed gives another order when
     * the library changes.
     */
    static Stream<Plan> plans() {
        return read().stream()
                .flatMap(plan -> Stream.concat(
                        Stream.of(plan), LongStream.range(0, ORDERS).mapToObj(seed -> Plans.scheduled(plan, seed))));
    }

    private static List<Plan> read() {
        try (InputStream file = Objects.requireNonNull(Failed.class.getResourceAsStream(FILE))) {
            return Plans.readAll(new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
