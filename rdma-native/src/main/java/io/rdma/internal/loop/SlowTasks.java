package io.rdma.internal.loop;

import io.rdma.environment.Environment;

/**
 * Tasks of one loop that may block. Each kind has a thread of its own: a peer that announces large messages does not
 * delay those that this side sends.
 *
 * @param exposures registrations of messages that the peer is to read
 * @param fetches allocations for messages that this side reads
 * @param migrations changes of the alternate paths of connections that have migrated
 */
public record SlowTasks(BlockingTasks exposures, BlockingTasks fetches, BlockingTasks migrations) {
    private static final int MOST = 1; // each of them may occupy one of the few carriers of virtual threads

    SlowTasks(Environment environment) {
        this(
                new BlockingTasks(environment, MOST),
                new BlockingTasks(environment, MOST),
                new BlockingTasks(environment, MOST));
    }
}
