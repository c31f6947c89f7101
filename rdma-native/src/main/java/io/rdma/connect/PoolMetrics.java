package io.rdma.connect;

/** Counters of a connection pool. Each call returns the present value. Thread-safe. Only this library implements it. */
public interface PoolMetrics {
    /**
     * Returns the number of connections that are in use.
     *
     * @return 0 when idle
     */
    int active();

    /**
     * Returns the number of connections that wait for use. A connection that its peer has closed counts until the pool
     * notices.
     *
     * @return 0 when all are in use, or none exists
     */
    int idle();

    /**
     * Returns the number of acquires that wait for a connection.
     *
     * @return 0 while connections are left
     */
    int pending();

    /**
     * Returns the upper bound of the connections.
     *
     * @return {@link PoolOptions#maxConnections}
     */
    int maxConnections();

    /**
     * Returns the number of connections that were made.
     *
     * @return never decreases
     */
    long opened();

    /**
     * Returns the number of attempts to connect to a server that failed.
     *
     * @return never decreases
     */
    long failed();

    /**
     * Returns the number of acquires that failed with {@link PoolExhaustedException}.
     *
     * @return never decreases
     */
    long exhausted();
}
