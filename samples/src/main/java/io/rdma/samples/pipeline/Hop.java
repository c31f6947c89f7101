package io.rdma.samples.pipeline;

/**
 * What each connection between two stages has.
 *
 * @param device name
 * @param buffers at each end: to send, or to receive
 * @param bytes of each
 */
public record Hop(String device, int buffers, int bytes) {
    /** Send buffers, then receive buffers, of both hops, and one block in the hands of each stage. */
    long most() {
        return 4L * buffers + Stage.values().length;
    }
}
