package io.rdma.internal.engine;

import io.rdma.environment.Environment;
import io.rdma.types.RdmaException;
import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import io.rdma.verbs.ProtectionDomain;
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
// - An entry is in `known` from before its handle is made until the handle is closed. A path has one entry at most.
// - A few platform threads make and destroy handles, never the thread that submits: ibv_create_ah(3) may wait for the
// network, and would hold the carrier of a virtual thread for that time.
// - At most `most` entries are kept that no operation uses. The entries in use are bounded by the operations under way.
// - After the close no handle is made, and existing handles are destroyed once no operation uses them.

/**
 * Cache of the address handles of a protection domain, by path. A handle is made when first needed and kept for later
 * use. Thread-safe.
 */
final class AddressHandles implements AutoCloseable {
    /** Waiter for a handle that does not exist yet. */
    interface Waiter {
        /** Receives the handle, which is held for this waiter. On a thread of the cache, or at once. */
        void leased(CachedAddress address);

        /** Receives the failure to make the handle. On a thread of the cache, or at once after the close. */
        void failed(RuntimeException error);
    }

    /** Upper bound of the unused paths that are kept. */
    static final int MOST = 1024;

    /** Upper bound of the time for which a close waits for handles under way or in use. */
    static final long CLOSE_MILLIS = 10_000;

    private static final System.Logger LOG = System.getLogger(AddressHandles.class.getName());
    private static final int MAKERS = 4;
    private static final long IDLE_SECONDS = 5;

    private final ProtectionDomain domain;
    private final int most;
    private final ConcurrentMap<AddressHandleAttributes, CachedAddress> known = new ConcurrentHashMap<>();
    private final ExecutorService makers;
    // Under the monitor: handles to be made, and rounds of destroying. A waiter that is being notified does not count,
    // so it may close the cache.
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
                task -> domain.environment().newThread("rdma-path", task));
        pool.allowCoreThreadTimeOut(true);
        makers = pool;
    }

    /** Returns the cache of these resources. */
    static AddressHandles of(DeviceResources resources) {
        return resources.companion(AddressHandles.class, context -> new AddressHandles(resources.domain(), MOST));
    }

    /** Returns an existing handle, held for the caller, or null if it has to be made. */
    @Nullable
    CachedAddress tryLease(AddressHandleAttributes path) {
        CachedAddress found = known.get(path);
        return found != null && found.tryRetain() ? found : null;
    }

    /** Leases the handle for a waiter, and has it made unless it exists or is being made. */
    void lease(AddressHandleAttributes path, Waiter waiter) {
        CachedAddress there = null;
        RuntimeException refusal = null;
        synchronized (this) {
            CachedAddress found = known.get(path);
            if (closed) {
                refusal = new IllegalStateException("the resources are closed: open new ones");
            } else if (found != null && found.tryRetain()) {
                there = found;
            } else if (found != null && !found.waiting().isEmpty()) { // it is being made
                found.waiting().add(waiter);
            } else { // there is none, or it is being removed
                CachedAddress fresh = new CachedAddress(this, path);
                fresh.waiting().add(waiter);
                known.put(path, fresh);
                working++;
                try {
                    makers.execute(() -> make(fresh));
                } catch (Throwable e) { // no thread, or no memory
                    working--;
                    known.remove(path, fresh);
                    refusal = new RdmaException("no thread could be started to make an address handle: " + e, e);
                }
            }
        }
        if (refusal != null) {
            waiter.failed(refusal);
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
        } catch (Throwable e) { // an Error of this thread, not of a deep caller's stack: perhaps no memory
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
            } catch (Throwable e) { // an exception of one waiter must not stop the others
                LOG.log(
                        System.Logger.Level.ERROR,
                        "a listener that waited for an address handle threw; the others are notified",
                        e);
            }
        }
        trim();
    }

    private synchronized void worked() {
        working--;
        notifyAll();
    }

    /** Trims the cache or wakes the close, after an entry lost its last user. Any thread, the loop included. */
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

    /** Destroys unused handles beyond the limit, first those that were not used since the last trim. */
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
        } catch (Throwable e) { // the others are destroyed
            LOG.log(System.Logger.Level.WARNING, "an address handle was not destroyed", e);
        }
    }

    /** Returns the number of paths whose handle exists or is being made. */
    int size() {
        return known.size();
    }

    /** Returns the number of paths that operations hold. */
    int used() {
        return (int) known.values().stream().filter(CachedAddress::isUsed).count();
    }

    /**
     * Waits until no handle is in use, being made or being destroyed, and destroys all. After the endpoints have ended.
     */
    @Override
    public void close() {
        Environment environment = domain.environment();
        long deadline = environment.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        synchronized (this) {
            closed = true;
            try {
                while ((working > 0 || used() > 0) && deadline - environment.nanoTime() > 0) {
                    wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - environment.nanoTime())));
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
            return false; // a handle still held is left to the device's close
        });
    }
}
