package io.rdma.samples.pipeline;

import java.net.InetSocketAddress;

/** The three stages as one front-end writes them. Each returns when its part is done, and throws if it was not. */
public interface Stages {
    /**
     * Sends what a walk makes to the next stage.
     *
     * @return the sink's answer
     */
    Message.End produce(Hop hop, InetSocketAddress next, Walk walk, StageReporter report);

    /**
     * Receives from one stage, sends to the next.
     *
     * @return the sink's answer
     */
    Message.End transform(Hop hop, InetSocketAddress here, InetSocketAddress next, Deltas deltas, StageReporter report);

    /**
     * Receives, at some pace, and checks.
     *
     * @return its answer
     */
    Message.End sink(Hop hop, InetSocketAddress here, Pace pace, Checker checker, StageReporter report);
}
