package io.rdma.structures;

import io.rdma.engine.RdmaEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * The ring of one producer, at its consumer. The producer writes entries into it; the consumer reads its own memory,
 * and no message passes. Thread-safe: each entry is taken once, in order.
 */
public interface RingMemory extends StructureMemory {
    /**
     * Admits the producer. A ring has one in its life, because another one could not know where to go on.
     *
     * @param client endpoint of the host's side of the producer's connection, of the resources that hold this memory
     * @return the location, to be sent to the producer
     * @throws IllegalStateException if a producer was admitted before
     * @throws IllegalArgumentException if the connection has another protection domain
     */
    @Override
    StructureLocation admit(RdmaEndpoint client);

    /**
     * Returns the largest entry.
     *
     * @return bytes
     */
    int maxEntry();

    /**
     * Takes the next entry, if it has arrived. Never waits.
     *
     * @return bytes of the entry, which belong to the caller; null if it has not arrived completely
     */
    byte @Nullable [] poll();

    /**
     * Returns whether no further entry will arrive: the producer's connection has ended. Entries that have arrived can
     * still be taken.
     *
     * @return false before the producer was admitted
     */
    boolean isEnded();
}
