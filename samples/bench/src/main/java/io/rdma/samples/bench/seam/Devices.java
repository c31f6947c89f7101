package io.rdma.samples.bench.seam;

import java.nio.file.Path;

/** The choice of the device under a benchmark. */
public final class Devices {
    /** System property with the path of the library of the device in C; without it the device is one in Java. */
    public static final String LIBRARY = "io.rdma.samples.bench.library";

    private Devices() {}

    /**
     * Returns a new device.
     *
     * @return in C or in Java
     */
    public static ImmediateVerbs open() {
        String library = System.getProperty(LIBRARY);
        return library == null ? new ImmediateVerbs() : new CompiledVerbs(Path.of(library));
    }
}
