package io.rdma.internal.connect;

import io.rdma.connect.AddressSupplier;
import io.rdma.connect.Balancing;
import io.rdma.connect.PoolOptions;
import io.rdma.connect.RdmaConnectException;
import io.rdma.connect.RdmaConnectException.Reason;
import io.rdma.connect.ServerAddress;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

// Invariants
// - The monitor of the balancer guards the servers and their leases. No application code runs under it.
// - The lock `lookingUp` is held while the supplier is asked, so one thread at a time asks it. Only a thread that has
// no list at all waits for that lock; the others use the list that there is.
// - A server is in the map while it is listed or has connections, so that one that leaves the list and returns keeps
// its count.

/** Servers of a pool: their addresses, the choice among them, and the penalties of those that cannot be reached. */
public final class ServerBalancer {
    private static final System.Logger LOG = System.getLogger(ServerBalancer.class.getName());

    private final AddressSupplier supplier;
    private final PoolOptions options;
    private final LongSupplier nanoTime;
    private final RandomGenerator random;
    private final ReentrantLock lookingUp = new ReentrantLock();
    private final Map<InetSocketAddress, ServerLoad> servers = new LinkedHashMap<>();

    /** Whether the list has servers and was not doubted since the last look-up. */
    private boolean trusted;

    private long lookedUp;

    /**
     * Creates a balancer without servers, which asks for them when it needs them.
     *
     * @param supplier addresses of the servers
     * @param options choice, penalties, and the time until the next look-up
     * @param nanoTime clock, as {@link System#nanoTime}
     * @param random thread-safe
     */
    public ServerBalancer(
            AddressSupplier supplier, PoolOptions options, LongSupplier nanoTime, RandomGenerator random) {
        this.supplier = supplier;
        this.options = options;
        this.nanoTime = nanoTime;
        this.random = random;
    }

    /**
     * Begins to make a connection. Looks the servers up if it is time, so this may block.
     *
     * @return the attempts
     * @throws RdmaConnectException UNKNOWN_HOST if the servers were never known and cannot be looked up
     */
    public ConnectAttempts attempts() {
        refresh();
        return new ConnectAttempts(this);
    }

    /**
     * Looks the servers up if it is time. May block.
     *
     * @throws RdmaConnectException UNKNOWN_HOST if the servers were never known and cannot be looked up
     */
    public void refresh() {
        if (hasServers()) {
            if (!lookingUp.tryLock()) {
                return;
            }
        } else {
            lookingUp.lock();
        }
        try {
            if (!isFresh()) {
                lookUp();
            }
        } finally {
            lookingUp.unlock();
        }
    }

    /** Looks the servers up again if it is time and they were looked up before. May block. */
    public void refreshKnown() {
        if (hasServers()) {
            refresh();
        }
    }

    private synchronized boolean hasServers() {
        return !listed().isEmpty();
    }

    private synchronized boolean isFresh() {
        return trusted
                && nanoTime.getAsLong() - lookedUp < options.addressRefresh().toNanos();
    }

    private void lookUp() {
        List<ServerAddress> found;
        try {
            found = List.copyOf(supplier.addresses());
        } catch (IOException | RuntimeException e) {
            if (!hasServers()) {
                throw new RdmaConnectException(
                        Reason.UNKNOWN_HOST, "the servers of the pool cannot be looked up: " + e.getMessage(), e);
            }
            LOG.log(Level.WARNING, "the pool keeps its list of servers, because the look-up failed: " + e);
            looked(true);
            return;
        }
        update(found);
        looked(!found.isEmpty());
    }

    private synchronized void looked(boolean hasList) {
        lookedUp = nanoTime.getAsLong();
        trusted = hasList;
    }

    private synchronized void update(List<ServerAddress> found) {
        boolean first = servers.isEmpty();
        servers.values().forEach(server -> server.listed = false);
        for (ServerAddress address : found) {
            ServerLoad server = servers.computeIfAbsent(address.address(), ServerLoad::new);
            server.weight = address.weight();
            server.listed = true;
        }
        servers.values().removeIf(ServerBalancer::isUnused);
        if (first && options.balancing() == Balancing.ROUND_ROBIN && !servers.isEmpty()) {
            skipChoices();
        }
    }

    /** Makes clients that start with the same list begin at different servers. */
    private void skipChoices() {
        List<ServerLoad> all = listed();
        for (int i = random.nextInt(ServerChoice.totalWeight(all)); i > 0; i--) {
            ServerChoice.next(all);
        }
    }

    private List<ServerLoad> listed() {
        return servers.values().stream().filter(server -> server.listed).toList();
    }

    private static boolean isUnused(ServerLoad server) {
        return !server.listed && server.connections == 0;
    }

    /** Forgets a server that has left the list and whose last connection has ended. */
    void forgetUnused(ServerLoad server) {
        if (isUnused(server)) {
            servers.remove(server.address, server);
        }
    }

    /** Makes the next connection look the servers up, because none of those in the list could be reached. */
    synchronized void doubtList() {
        trusted = false;
    }

    /**
     * Chooses a server that was not tried. If all of these are skipped, chooses the one whose penalty ends first.
     *
     * @return null if every server was tried
     */
    synchronized @Nullable ServerLease choose(Set<ServerLoad> tried) {
        List<ServerLoad> left =
                listed().stream().filter(server -> !tried.contains(server)).toList();
        if (left.isEmpty()) {
            return null;
        }
        long now = nanoTime.getAsLong();
        List<ServerLoad> available =
                left.stream().filter(server -> server.isAvailable(now)).toList();
        ServerLoad chosen =
                available.isEmpty() ? soonest(left, now) : ServerChoice.of(options.balancing(), available, random);
        return new ServerLease(this, chosen);
    }

    private static ServerLoad soonest(List<ServerLoad> servers, long now) {
        ServerLoad soonest = servers.getFirst();
        for (ServerLoad server : servers) {
            if (server.skippedUntil - now < soonest.skippedUntil - now) {
                soonest = server;
            }
        }
        return soonest;
    }

    void penalize(ServerLoad server) {
        server.failures++;
        Duration penalty = options.firstPenalty();
        for (int i = 1; i < server.failures && penalty.compareTo(options.longestPenalty()) < 0; i++) {
            penalty = penalty.multipliedBy(2);
        }
        Duration bounded = penalty.compareTo(options.longestPenalty()) < 0 ? penalty : options.longestPenalty();
        server.skippedUntil = nanoTime.getAsLong() + bounded.toNanos();
    }
}
