package io.rdma.samples.pipeline;

/** The stages of a pipeline, in the order of the stream. */
public enum Stage {
    /** Produces blocks. */
    PRODUCER,
    /** Transforms each block. */
    TRANSFORM,
    /** Receives and checks the blocks. */
    SINK;

    /** Returns the name of the stage on the command line. */
    String command() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
