package io.rdma.samples.simulation.world;

import java.util.stream.Stream;

/** Seeds that have failed before a defect was mended. */
final class Failed {
    private Failed() {}

    static Stream<Long> seeds() {
        return Stream.of(
                // Messages behind a large one that was lost with its connection were delivered: a gap in the stream.
                25L,
                50L,
                64L,
                78L,
                82L,
                // Frames behind receive buffers of an odd size were not aligned, and the connection hung.
                3L,
                6L,
                7L,
                // The close of a TLS socket waited for a silent peer: a connect went on for too long.
                3804L,
                3974L);
    }
}
