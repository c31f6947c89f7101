package io.rdma.samples.pipeline;

/** The parts of a pipeline, in the order of the stream. */
public enum Stage {
    /** Makes blocks. */
    PRODUCER,
    /** Makes something else of each. */
    TRANSFORM,
    /** Takes and checks them. */
    SINK;

    /** As on the command line. */
    String command() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
