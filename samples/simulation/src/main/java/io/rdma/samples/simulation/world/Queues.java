package io.rdma.samples.simulation.world;

import io.rdma.connect.ConnectionOptions;
import io.rdma.engine.IdleStrategy;
import io.rdma.engine.ResourceOptions;
import io.rdma.samples.simulation.schedule.Choices;
import java.time.Duration;

/**
 * Sizes of the queues and buffers of one host, and times of its connections.
 *
 * @param receives number of receive buffers of a connection
 * @param receiveBytes of each
 * @param sends number of send buffers of a connection
 * @param sendBytes of each
 * @param depth of the send queue
 * @param signalEvery sends from one completion to the next
 * @param reads most RDMA reads under way
 * @param timeout acknowledge time-out, as an exponent
 * @param retries after a time-out
 * @param probeMillis from one probe of a silent peer to the next
 * @param drainMillis that a close waits
 * @param completions entries of the first completion queue
 * @param loops number of completion loops
 * @param shared number of shared receive buffers, 0 for none
 * @param ownDomain whether each connection has a protection domain of its own
 * @param polls whether an idle completion loop polls for a time before it sleeps, which takes many steps
 */
public record Queues(
        int receives,
        int receiveBytes,
        int sends,
        int sendBytes,
        int depth,
        int signalEvery,
        int reads,
        int timeout,
        int retries,
        int probeMillis,
        int drainMillis,
        int completions,
        int loops,
        int shared,
        boolean ownDomain,
        boolean polls) {
    /** Sizes of the first simulations. */
    static final Queues USUAL = new Queues(8, 512, 8, 512, 32, 32, 16, 14, 6, 1000, 2000, 64, 1, 0, false, false);

    private static final int LEAST_BYTES = 32;
    private static final int MOST_BYTES = 1024;
    private static final int MOST_BUFFERS = 16;
    /** Longest time-out that is drawn: a quarter of a second. The shortest bears a thread that is held. */
    private static final int LONGEST_TIMEOUT = 16;

    private static final int SHORTEST_TIMEOUT = 13;

    /** Draws sizes. */
    static Queues of(Choices choices) {
        return new Queues(
                buffers(choices),
                bytes(choices),
                buffers(choices),
                bytes(choices),
                4 + choices.below(125),
                1 + choices.below(64),
                1 + choices.below(MOST_BUFFERS),
                SHORTEST_TIMEOUT + choices.below(LONGEST_TIMEOUT - SHORTEST_TIMEOUT + 1),
                5 + choices.below(3),
                100 + choices.below(3000),
                500 + choices.below(3000),
                64 + choices.below(450),
                1 + choices.below(2),
                choices.oneIn(3) ? 4 + choices.below(29) : 0,
                choices.oneIn(4),
                choices.oneIn(4));
    }

    Queues withSendBytes(int bytes) {
        return new Queues(
                receives,
                receiveBytes,
                sends,
                bytes,
                depth,
                signalEvery,
                reads,
                timeout,
                retries,
                probeMillis,
                drainMillis,
                completions,
                loops,
                shared,
                ownDomain,
                polls);
    }

    private static int buffers(Choices choices) {
        return 2 + choices.below(MOST_BUFFERS - 1);
    }

    /** Draws the bytes of a buffer. In half of all buffers small messages share a SEND. */
    private static int bytes(Choices choices) {
        int drawn = LEAST_BYTES + choices.below(MOST_BYTES - LEAST_BYTES + 1);
        return drawn % 2 == 0 ? drawn : drawn + MOST_BYTES;
    }

    ConnectionOptions connection(ConnectionOptions usual) {
        return usual.withReceiveBuffers(receives, receiveBytes)
                .withSendBuffers(sends, sendBytes)
                .withQueuePair(usual.queuePair().withMaxSendWr(depth).withMaxReceiveWr(Math.max(depth, receives)))
                .withSignalEvery(signalEvery)
                .withMaxRdAtomic(reads)
                .withTimeout(timeout)
                .withRetryCnt(retries)
                .withProbeInterval(Duration.ofMillis(probeMillis))
                .withDrainTimeout(Duration.ofMillis(drainMillis))
                .withOwnProtectionDomain(ownDomain);
    }

    ResourceOptions resources(ResourceOptions usual) {
        ResourceOptions own = usual.withCompletionQueueEntries(completions)
                .withLoops(loops)
                .withIdleStrategy(polls ? IdleStrategy.ADAPTIVE : IdleStrategy.SLEEP);
        return shared == 0 ? own : own.withSharedReceiveBuffers(shared, receiveBytes);
    }
}
