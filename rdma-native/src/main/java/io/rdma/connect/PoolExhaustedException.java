package io.rdma.connect;

import io.rdma.types.RdmaException;

/** Failure to get a connection from a pool, because all connections are in use. */
public class PoolExhaustedException extends RdmaException {
    private static final long serialVersionUID = 1L;

    /** Limit that was reached. */
    public enum Limit {
        /** {@link PoolOptions#pendingAcquireMaxCount}. */
        PENDING_ACQUIRE_MAX_COUNT,
        /** {@link PoolOptions#pendingAcquireTimeout}. */
        PENDING_ACQUIRE_TIMEOUT
    }

    private final Limit limit;

    private PoolExhaustedException(Limit limit, String message) {
        super(message);
        this.limit = limit;
    }

    /**
     * Describes an acquire that was refused because too many others wait.
     *
     * @param options options of the pool
     * @return not thrown
     */
    public static PoolExhaustedException refused(PoolOptions options) {
        return new PoolExhaustedException(
                Limit.PENDING_ACQUIRE_MAX_COUNT,
                inUse(options) + " and " + options.pendingAcquireMaxCount() + " acquires wait already: raise "
                        + "maxConnections or pendingAcquireMaxCount, or use fewer connections at a time");
    }

    /**
     * Describes an acquire that waited too long.
     *
     * @param options options of the pool
     * @return not thrown
     */
    public static PoolExhaustedException timedOut(PoolOptions options) {
        return new PoolExhaustedException(
                Limit.PENDING_ACQUIRE_TIMEOUT,
                inUse(options) + " and none was returned within " + options.pendingAcquireTimeout() + ": raise "
                        + "maxConnections or pendingAcquireTimeout, or return connections sooner");
    }

    private static String inUse(PoolOptions options) {
        return "all " + options.maxConnections() + " connections of the pool are in use";
    }

    /**
     * Returns the limit that was reached.
     *
     * @return the limit
     */
    public Limit limit() {
        return limit;
    }
}
