package io.rdma.connect;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Options of a connection pool; immutable. The names are those that Reactor Netty uses where it has one.
 *
 * @param maxConnections connections that are open or being made at a time, at least 1. One that is closing does
 *     not count
 * @param warmupConnections connections that a warm-up makes, 0 to {@code maxConnections}
 * @param pendingAcquireMaxCount acquires that wait at a time while all connections are in use, from 0. A further one
 *     fails with {@link PoolExhaustedException}
 * @param pendingAcquireTimeout longest wait for a connection that is in use, above zero. Making a connection has a time
 *     limit of its own, {@link ConnectionOptions#handshakeTimeout}, for each server that is tried
 * @param maxIdleTime time without use after which a connection is closed; zero for no limit
 * @param maxLifeTime age after which a connection is closed when it is not in use; zero for no limit. It lets the
 *     connections move to servers that have joined
 * @param evictInBackground interval at which idle connections are checked, so that those that are too old, idle for too
 *     long, closed by the peer, or to a server that left the list are closed without waiting for the next acquire; zero
 *     to check only when a connection is acquired or returned
 * @param lifo whether the connection that was returned last is used next, so that the others become idle. Otherwise the
 *     one that was returned first, so that all are used alike
 * @param balancing choice of the server for a new connection
 * @param addressRefresh time after which the servers are looked up again, above zero
 * @param firstPenalty time for which a server is skipped after an attempt to connect failed; above zero. Each further
 *     failure doubles it
 * @param longestPenalty upper bound of that time, at least {@code firstPenalty}
 */
public record PoolOptions(
        int maxConnections,
        int warmupConnections,
        int pendingAcquireMaxCount,
        Duration pendingAcquireTimeout,
        Duration maxIdleTime,
        Duration maxLifeTime,
        Duration evictInBackground,
        boolean lifo,
        Balancing balancing,
        Duration addressRefresh,
        Duration firstPenalty,
        Duration longestPenalty) {
    /**
     * Defaults: 16 connections, of which a warm-up makes one; 32 acquires may wait, for at most 45 s. Connections live
     * until their peer closes them; idle ones are checked every 30 s. The next connection is the one that was returned
     * first, a new one goes to the server with the fewest. Servers are looked up every 10 s, and skipped after a
     * failure for 100 ms to 30 s.
     */
    public static final PoolOptions DEFAULT = new PoolOptions(
            16,
            1,
            32,
            Duration.ofSeconds(45),
            Duration.ZERO,
            Duration.ZERO,
            Duration.ofSeconds(30),
            false,
            Balancing.LEAST_CONNECTIONS,
            Duration.ofSeconds(10),
            Duration.ofMillis(100),
            Duration.ofSeconds(30));

    /** Checks the ranges. */
    public PoolOptions {
        check(maxConnections >= 1, "maxConnections must be at least 1: " + maxConnections);
        check(
                warmupConnections >= 0 && warmupConnections <= maxConnections,
                "warmupConnections must be from 0 to maxConnections, " + maxConnections + ": " + warmupConnections);
        check(pendingAcquireMaxCount >= 0, "pendingAcquireMaxCount must not be negative: " + pendingAcquireMaxCount);
        positive("pendingAcquireTimeout", pendingAcquireTimeout);
        notNegative("maxIdleTime", maxIdleTime);
        notNegative("maxLifeTime", maxLifeTime);
        notNegative("evictInBackground", evictInBackground);
        positive("addressRefresh", addressRefresh);
        positive("firstPenalty", firstPenalty);
        check(
                longestPenalty.compareTo(firstPenalty) >= 0,
                "longestPenalty must be at least firstPenalty, " + firstPenalty + ": " + longestPenalty);
        notNegative("longestPenalty", longestPenalty);
    }

    private static void check(boolean ok, String message) {
        if (!ok) {
            throw new IllegalArgumentException(message);
        }
    }

    /** A time longer than a century would overflow a count of nanoseconds. */
    private static void notNegative(String name, Duration value) {
        check(!value.isNegative() && value.toDays() < 36_500, name + " must be from zero to a century: " + value);
    }

    private static void positive(String name, Duration value) {
        check(!value.isZero(), name + " must be above zero");
        notNegative(name, value);
    }

    /**
     * Returns a copy with another value of {@code maxConnections}.
     *
     * @param maxConnections see the record
     * @return a copy
     */
    public PoolOptions withMaxConnections(int maxConnections) {
        return copy(e -> e.maxConnections = maxConnections);
    }

    /**
     * Returns a copy with another value of {@code warmupConnections}.
     *
     * @param warmupConnections see the record
     * @return a copy
     */
    public PoolOptions withWarmupConnections(int warmupConnections) {
        return copy(e -> e.warmupConnections = warmupConnections);
    }

    /**
     * Returns a copy with another value of {@code pendingAcquireMaxCount}.
     *
     * @param pendingAcquireMaxCount see the record
     * @return a copy
     */
    public PoolOptions withPendingAcquireMaxCount(int pendingAcquireMaxCount) {
        return copy(e -> e.pendingAcquireMaxCount = pendingAcquireMaxCount);
    }

    /**
     * Returns a copy with another value of {@code pendingAcquireTimeout}.
     *
     * @param pendingAcquireTimeout see the record
     * @return a copy
     */
    public PoolOptions withPendingAcquireTimeout(Duration pendingAcquireTimeout) {
        return copy(e -> e.pendingAcquireTimeout = pendingAcquireTimeout);
    }

    /**
     * Returns a copy with another value of {@code maxIdleTime}.
     *
     * @param maxIdleTime see the record
     * @return a copy
     */
    public PoolOptions withMaxIdleTime(Duration maxIdleTime) {
        return copy(e -> e.maxIdleTime = maxIdleTime);
    }

    /**
     * Returns a copy with another value of {@code maxLifeTime}.
     *
     * @param maxLifeTime see the record
     * @return a copy
     */
    public PoolOptions withMaxLifeTime(Duration maxLifeTime) {
        return copy(e -> e.maxLifeTime = maxLifeTime);
    }

    /**
     * Returns a copy with another value of {@code evictInBackground}.
     *
     * @param evictInBackground see the record
     * @return a copy
     */
    public PoolOptions withEvictInBackground(Duration evictInBackground) {
        return copy(e -> e.evictInBackground = evictInBackground);
    }

    /**
     * Returns a copy with another value of {@code lifo}.
     *
     * @param lifo see the record
     * @return a copy
     */
    public PoolOptions withLifo(boolean lifo) {
        return copy(e -> e.lifo = lifo);
    }

    /**
     * Returns a copy with another value of {@code balancing}.
     *
     * @param balancing see the record
     * @return a copy
     */
    public PoolOptions withBalancing(Balancing balancing) {
        return copy(e -> e.balancing = balancing);
    }

    /**
     * Returns a copy with another value of {@code addressRefresh}.
     *
     * @param addressRefresh see the record
     * @return a copy
     */
    public PoolOptions withAddressRefresh(Duration addressRefresh) {
        return copy(e -> e.addressRefresh = addressRefresh);
    }

    /**
     * Returns a copy with another value of {@code firstPenalty}.
     *
     * @param firstPenalty see the record
     * @return a copy
     */
    public PoolOptions withFirstPenalty(Duration firstPenalty) {
        return copy(e -> e.firstPenalty = firstPenalty);
    }

    /**
     * Returns a copy with another value of {@code longestPenalty}.
     *
     * @param longestPenalty see the record
     * @return a copy
     */
    public PoolOptions withLongestPenalty(Duration longestPenalty) {
        return copy(e -> e.longestPenalty = longestPenalty);
    }

    /** Mutable values from which a copy is made. */
    private static final class Edit {
        private int maxConnections;
        private int warmupConnections;
        private int pendingAcquireMaxCount;
        private Duration pendingAcquireTimeout;
        private Duration maxIdleTime;
        private Duration maxLifeTime;
        private Duration evictInBackground;
        private boolean lifo;
        private Balancing balancing;
        private Duration addressRefresh;
        private Duration firstPenalty;
        private Duration longestPenalty;

        private Edit(PoolOptions from) {
            maxConnections = from.maxConnections;
            warmupConnections = from.warmupConnections;
            pendingAcquireMaxCount = from.pendingAcquireMaxCount;
            pendingAcquireTimeout = from.pendingAcquireTimeout;
            maxIdleTime = from.maxIdleTime;
            maxLifeTime = from.maxLifeTime;
            evictInBackground = from.evictInBackground;
            lifo = from.lifo;
            balancing = from.balancing;
            addressRefresh = from.addressRefresh;
            firstPenalty = from.firstPenalty;
            longestPenalty = from.longestPenalty;
        }
    }

    private PoolOptions copy(Consumer<Edit> change) {
        Edit e = new Edit(this);
        change.accept(e);
        return new PoolOptions(
                e.maxConnections,
                e.warmupConnections,
                e.pendingAcquireMaxCount,
                e.pendingAcquireTimeout,
                e.maxIdleTime,
                e.maxLifeTime,
                e.evictInBackground,
                e.lifo,
                e.balancing,
                e.addressRefresh,
                e.firstPenalty,
                e.longestPenalty);
    }
}
