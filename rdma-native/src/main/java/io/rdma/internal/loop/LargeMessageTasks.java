package io.rdma.internal.loop;

import io.rdma.environment.Environment;

/**
 * Tasks of one loop that register the memory of large messages. Each direction has a thread of its own: a peer that
 * announces large messages does not delay those that this side sends.
 *
 * @param exposures registrations of messages that the peer is to read
 * @param fetches allocations for messages that this side reads
 */
public record LargeMessageTasks(BlockingTasks exposures, BlockingTasks fetches) {
    private static final int MOST = 1; // each of them may occupy one of the few carriers of virtual threads

    LargeMessageTasks(Environment environment) {
        this(new BlockingTasks(environment, MOST), new BlockingTasks(environment, MOST));
    }
}
