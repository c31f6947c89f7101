package io.rdma.samples.simulation.coverage;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Part of the library whose branches are counted. */
enum Part {
    ENGINE(
            "engine",
            "io.rdma.buffer",
            "io.rdma.connect",
            "io.rdma.engine",
            "io.rdma.internal.close",
            "io.rdma.internal.connect",
            "io.rdma.internal.engine",
            "io.rdma.internal.loop"),
    FRONT_ENDS("front-ends", "io.rdma.reactive", "io.rdma.reactive.internal", "io.rdma.coroutines"),
    STRUCTURES(
            "one-sided structures",
            "io.rdma.structures",
            "io.rdma.internal.structures",
            "io.rdma.reactive.structures",
            "io.rdma.coroutines.structures");

    private final String title;
    private final List<String> packages;

    Part(String title, String... packages) {
        this.title = title;
        this.packages = List.of(packages);
    }

    String title() {
        return title;
    }

    /** Returns the part to which a class belongs, or null if its branches are not counted. */
    static @Nullable Part of(String className) {
        String name = className.replace('/', '.');
        String owner = name.substring(0, Math.max(name.lastIndexOf('.'), 0));
        for (Part part : values()) {
            if (part.packages.contains(owner)) {
                return part;
            }
        }
        return null;
    }
}
