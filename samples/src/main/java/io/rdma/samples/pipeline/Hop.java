package io.rdma.samples.pipeline;

/**
 * The settings of each connection between two stages.
 *
 * @param device name
 * @param buffers at each end: to send, or to receive
 * @param bytes of each
 */
public record Hop(String device, int buffers, int bytes) {
    /**
     * Returns the largest number of blocks on the way: in send buffers and receive buffers of both hops, and one in
     * each stage.
     */
    long most() {
        return 4L * buffers + Stage.values().length;
    }
}
