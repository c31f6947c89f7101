package io.rdma.engine;

import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.ProtectionDomain;
import io.rdma.verbs.RdmaException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

// Invariants
// - An entry is in `known` from before its handle is made until it is closed; of each path there is one at most.
// - Handles are made and destroyed by a few platform threads, never by who submits: ibv_create_ah(3) may wait for the
// network, and would hold the carrier of a virtual thread as long.
// - There are at most `most` entries that no operation uses; in use are as many as operations that are under way.
// - After the close nothing is made, and what is there is destroyed once nobody uses it.

/** The address handles of a protection domain, by path: made when first wanted, kept for the next time. Thread-safe. */
final class AddressHandles implements AutoCloseable {
    /** Who wants a handle that is not there yet. */
    interface Waiter {
        /** It is there, and held for this one. On a thread of the cache's, or at once. */
        void leased(CachedAddress address);

        /** It could not be made. On a thread of the cache's, or at once after the close. */
        void failed(RuntimeException error);
    }

    /** Paths that are kept. */
    static final int MOST = 1024;

    /** For so long a close waits for what is under way. */
    static final long CLOSE_MILLIS = 10_000;

    private static final System.Logger LOG = System.getLogger(AddressHandles.class.getName());
    private static final int MAKERS = 4;
    private static final long IDLE_SECONDS = 5;

    private final ProtectionDomain domain;
    private final int most;
    private final ConcurrentMap<AddressHandleAttributes, CachedAddress> known = new ConcurrentHashMap<>();
    private final ExecutorService makers;
    // Under the monitor: handles to be made, and rounds of destroying. Who hears of it does not count, and may close.
    private int working;
    private boolean trimming; // under the monitor
    private volatile boolean closed; // written under the monitor

    AddressHandles(ProtectionDomain domain, int most) {
        this.domain = domain;
        this.most = most;
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                MAKERS,
                MAKERS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("rdma-path-", 0).factory());
        pool.allowCoreThreadTimeOut(true);
        makers = pool;
    }

    /** The cache of these resources. */
    static AddressHandles of(RdmaResources resources) {
        return resources.companion(AddressHandles.class, context -> new AddressHandles(resources.domain(), MOST));
    }

    /** A handle that is there, held for the caller; null if it has to be made. */
    @Nullable
    CachedAddress tryLease(AddressHandleAttributes path) {
        CachedAddress found = known.get(path);
        return found != null && found.tryRetain() ? found : null;
    }

    /** Has the handle made, if nobody does so already. */
    void lease(AddressHandleAttributes path, Waiter waiter) {
        CachedAddress there = null;
        boolean refused = false;
        synchronized (this) {
            CachedAddress found = known.get(path);
            if (closed) {
                refused = true;
            } else if (found != null && found.tryRetain()) {
                there = found;
            } else if (found != null && !found.waiting().isEmpty()) { // it is being made
                found.waiting().add(waiter);
            } else { // there is none, or it is on its way out
                CachedAddress fresh = new CachedAddress(this, path);
                fresh.waiting().add(waiter);
                known.put(path, fresh);
                working++;
                makers.execute(() -> make(fresh));
            }
        }
        if (refused) {
            waiter.failed(new IllegalStateException("the resources are closed"));
        } else if (there != null) {
            waiter.leased(there);
        }
    }

    private void make(CachedAddress fresh) {
        AddressHandle made = null;
        RuntimeException failure = null;
        try {
            made = domain.createAddressHandle(fresh.attributes());
        } catch (RuntimeException e) {
            failure = e;
        } catch (Throwable e) { // of this thread, which has a stack of its own: no memory, perhaps
            failure = new RdmaException("the address handle was not made: " + e, e);
        }
        List<Waiter> waiting;
        synchronized (this) {
            waiting = List.copyOf(fresh.waiting());
            fresh.waiting().clear();
            if (made == null) {
                known.remove(fresh.attributes(), fresh);
            } else {
                fresh.made(made, waiting.size());
            }
            worked();
        }
        for (Waiter waiter : waiting) {
            try {
                if (failure == null) {
                    waiter.leased(fresh);
                } else {
                    waiter.failed(failure);
                }
            } catch (Throwable e) { // a subscriber's mistake must not keep the others waiting
                LOG.log(System.Logger.Level.ERROR, "who waited for a path threw; the others go on", e);
            }
        }
        trim();
    }

    private synchronized void worked() {
        working--;
        notifyAll();
    }

    /** An entry is not used any more. Any thread, the loop's among them. */
    void unused() {
        if (closed) {
            synchronized (this) {
                notifyAll();
            }
        } else if (known.size() > most) {
            synchronized (this) {
                if (trimming || closed) {
                    return;
                }
                trimming = true;
                makers.execute(() -> {
                    synchronized (this) {
                        trimming = false;
                    }
                    trim();
                });
            }
        }
    }

    /** Destroys what is too much: first what was not used since the last time. */
    private void trim() {
        if (known.size() <= most) {
            return;
        }
        List<CachedAddress> out = new ArrayList<>();
        synchronized (this) {
            if (closed) {
                return; // the close destroys them
            }
            working++;
            for (int pass = 0; pass < 2; pass++) {
                for (CachedAddress one : known.values()) {
                    if (known.size() <= most) {
                        break;
                    }
                    if (!one.isWorthKeeping() && one.tryClose()) {
                        known.remove(one.attributes(), one);
                        out.add(one);
                    }
                }
            }
        }
        try {
            out.forEach(AddressHandles::destroy);
        } finally {
            worked();
        }
    }

    private static void destroy(CachedAddress one) {
        try {
            one.handle().close();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "an address handle was not destroyed", e);
        }
    }

    /** Paths that are there or being made. */
    int size() {
        return known.size();
    }

    /** Paths that operations hold. */
    int used() {
        return (int) known.values().stream().filter(CachedAddress::isUsed).count();
    }

    /** After the endpoints: waits for handles that are being made or destroyed, and destroys all. */
    @Override
    public void close() {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        synchronized (this) {
            closed = true;
            try {
                while ((working > 0 || used() > 0) && deadline - System.nanoTime() > 0) {
                    wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        makers.shutdown();
        known.values().removeIf(one -> {
            if (one.tryClose()) {
                destroy(one);
                return true;
            }
            return false; // what is held still is the device's to free
        });
    }
}
