package io.rdma.samples.simulation.shrink;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Record with a field of each type.
 *
 * @param count at least 1
 */
record Sample(
        int count,
        long time,
        boolean on,
        Colour colour,
        String text,
        List<Part> parts,
        @Nullable Part spare) {
    /** Returns one with large values. */
    static Sample large() {
        return new Sample(
                900,
                5_000_000_000L,
                true,
                Colour.BLUE,
                "it's \"so\"\\\n",
                List.of(new Part(70, Limit.WIDE), new Part(80, Limit.NARROW), new Part(90, new Limit(3, 40))),
                new Part(-7, Limit.WIDE));
    }

    Sample {
        if (count < 1) {
            throw new IllegalArgumentException("count is too small");
        }
    }

    enum Colour {
        RED,
        GREEN,
        BLUE
    }

    record Part(int weight, Limit limit) {}

    record Limit(int low, int high) {
        static final Limit NARROW = new Limit(1, 2);
        static final Limit WIDE = new Limit(0, 1000);
    }
}
