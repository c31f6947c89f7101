package io.rdma.engine;

import io.rdma.buffer.BufferPool;
import io.rdma.buffer.RegistrationCache;
import io.rdma.types.PlacementType;
import io.rdma.verbs.QueuePairInfo;
import org.jspecify.annotations.Nullable;

/**
 * View of the engine below a connection, for monitoring and tuning: number of the queue pair, buffers, counters. Each
 * call returns the present value. Thread-safe. Only this library implements it.
 */
public interface RdmaEndpoint {
    /**
     * Returns the number of the queue pair.
     *
     * @return 24 bits
     */
    int qpNumber();

    /**
     * Queries the queue pair, {@code ibv_query_qp(3)}: its path, time-outs and limits. A system call.
     *
     * @return the attributes that the device reports now
     * @throws IllegalStateException if the connection has ended
     */
    QueuePairInfo query();

    /**
     * Returns how often the connection has migrated to its alternate path, {@code IBV_EVENT_PATH_MIG}. {@link #query}
     * has the present path and the state of migration.
     *
     * @return 0 without an alternate path
     */
    int migrations();

    /**
     * Returns the number of work requests that are posted and not completed.
     *
     * @return 0 when idle
     */
    long inFlight();

    /**
     * Returns the number of received messages that the application holds or that wait for it.
     *
     * @return 0 when none is outstanding
     */
    int outstandingReceives();

    /**
     * Returns the upper bound of {@link #outstandingReceives}.
     *
     * @return receive buffers of its own, or its window of shared ones
     */
    int receiveBuffers();

    /**
     * Returns the number of the peer's messages that were lost on an unreliable connection. A loss is noticed when a
     * later message arrives. Writes are not counted.
     *
     * @return 0 on a reliable connection
     */
    long lostMessages();

    /**
     * Returns the buffers for outgoing messages.
     *
     * @return the pool
     */
    BufferPool sendBuffers();

    /**
     * Returns the cache of registrations of application memory.
     *
     * @return the cache, shared by all connections of the domain
     */
    RegistrationCache registrations();

    /**
     * Returns the counters of the loop that completes the operations of this connection.
     *
     * @return the counters, of all connections of that loop
     */
    LoopCounters counters();

    /**
     * Returns the means by which this connection learns that what it wrote is placed in the peer's memory.
     *
     * @param type guarantee
     * @return the same for the life of the connection
     */
    FlushMethod flushMethod(PlacementType type);

    /**
     * Returns whether the devices of both ends have atomic writes.
     *
     * @return the same for the life of the connection
     */
    boolean hasAtomicWrites();

    /**
     * Returns whether the end has begun.
     *
     * @return true from the first failure or close on
     */
    boolean isClosing();

    /**
     * Returns the cause of a lost connection.
     *
     * @return the cause; null while open and after an orderly close
     */
    @Nullable
    Throwable failure();
}
