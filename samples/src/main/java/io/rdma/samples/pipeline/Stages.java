package io.rdma.samples.pipeline;

import java.net.InetSocketAddress;

/**
 * The three stages, implemented with one front-end. Each method returns when its part is done, and throws if it failed.
 */
public interface Stages {
    /**
     * Sends the blocks of a walk to the next stage.
     *
     * @return the sink's answer
     */
    Message.End produce(Hop hop, InetSocketAddress next, Walk walk, StageReporter report);

    /**
     * Receives from the stage before, transforms, and sends to the next stage.
     *
     * @return the sink's answer
     */
    Message.End transform(Hop hop, InetSocketAddress here, InetSocketAddress next, Deltas deltas, StageReporter report);

    /**
     * Receives at a given pace, and checks the messages.
     *
     * @return its answer
     */
    Message.End sink(Hop hop, InetSocketAddress here, Pace pace, Checker checker, StageReporter report);
}
