package io.rdma.buffer;

import io.rdma.environment.Environment;
import io.rdma.internal.close.CloseSteps;
import io.rdma.types.AccessFlag;
import io.rdma.verbs.MemoryRegion;
import io.rdma.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

// Invariants
// - Within a scope no entry lies inside another: starts and ends ascend together. So only the entry with the greatest
// start at or before an address has to be checked.
// - An entry matches only memory of its own scope: memory of another arena at the same addresses is different memory.
// - An entry of read-only memory, which is registered without LOCAL_WRITE, matches only read-only memory.
// - The sum of the entries is at most `maxBytes`. A lease may outlive its entry, because it holds the entry's region.
// - No verbs call is made under the lock.

/**
 * Cache that keeps memory of the application registered for its next use. Registering is a system call that pins pages;
 * a hit makes no system call.
 *
 * <p>An entry is dropped when it is the least recently used one and others need its room, when its arena has been
 * closed (noticed at the next registration), by {@link #invalidate}, and when the cache is closed. Until then memory of
 * an automatic arena is kept reachable. Memory whose end the JVM does not know, {@link MemorySegment#ofAddress}, must
 * be invalidated before it is freed. Thread-safe.
 */
public final class RegistrationCache implements AutoCloseable {
    private static final Thread ANY_OTHER = Environment.SYSTEM.newThread("none", () -> {});

    private record Entry(MemoryRegion region) {
        MemorySegment memory() {
            return region.segment();
        }

        long end() {
            return memory().address() + memory().byteSize();
        }

        /** Returns whether memory that starts in this entry can be used by its registration. */
        boolean covers(MemorySegment other) {
            return end() >= other.address() + other.byteSize() && (other.isReadOnly() || !memory().isReadOnly());
        }
    }

    private final ProtectionDomain domain;
    private final long maxBytes;
    private final Map<MemorySegment.Scope, TreeMap<Long, Entry>> byScope = new HashMap<>(); // (this)
    private final LinkedHashMap<Entry, Boolean> byUse = new LinkedHashMap<>(16, 0.75f, true); // (this)
    private long bytes; // (this)
    private boolean closed; // (this)
    private final AtomicLong hits = new AtomicLong();
    private final AtomicLong misses = new AtomicLong();

    /**
     * Creates an empty cache.
     *
     * @param domain where memory is registered, for local use only: no peer gets a key from here
     * @param maxBytes upper bound of the bytes it keeps; 0 to keep none
     */
    public RegistrationCache(ProtectionDomain domain, long maxBytes) {
        this.domain = domain;
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the domain in which it registers.
     *
     * @return the domain
     */
    public ProtectionDomain domain() {
        return domain;
    }

    /**
     * Makes memory of the application usable as source or target. Memory inside a segment that was leased before is a
     * hit, so lease a large segment once and then its slices. A miss registers the memory, which is slow, so do not
     * call this on the loop.
     *
     * @param memory native, not of a confined arena, at most 2 GiB - 1; must not be freed before the buffer is closed
     *     and its operations have ended. Read-only memory, such as a mapped file, becomes a source and no target
     * @return to be closed
     * @throws IllegalArgumentException if the memory cannot be registered
     * @throws IllegalStateException if its arena or the cache is closed
     * @throws io.rdma.types.VerbsException if the device refuses it
     * @throws io.rdma.types.RegistrationLimitException if the budget does not allow it
     */
    public RegisteredBuffer lease(MemorySegment memory) {
        check(memory);
        MemoryRegion region = cached(memory);
        if (region == null) {
            misses.incrementAndGet();
            region = registered(memory);
        } else {
            hits.incrementAndGet();
        }
        return over(region, memory);
    }

    /**
     * Makes memory usable as a source if the cache has it registered. Makes no system call and may be called on the
     * loop.
     *
     * @param memory any memory, also read-only
     * @return to be closed; null if the memory is not inside a segment that the cache has
     */
    public @Nullable RegisteredBuffer leaseCached(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0 || memory.byteSize() > Integer.MAX_VALUE) {
            return null;
        }
        MemoryRegion region = cached(memory);
        if (region == null) {
            return null;
        }
        hits.incrementAndGet();
        return over(region, memory);
    }

    /** Returns a lease, which takes over a hold on the region. */
    private static RegisteredBuffer over(MemoryRegion region, MemorySegment memory) {
        try {
            return new RegisteredBuffer(region, memory, true, () -> release(region));
        } catch (Throwable e) { // no memory for the buffer
            release(region);
            throw e;
        }
    }

    /** Registers memory, keeps an entry for it, and returns its region, which is held for the caller. */
    private MemoryRegion registered(MemorySegment memory) {
        Set<AccessFlag> rights = memory.isReadOnly() ? Set.of() : Set.of(AccessFlag.LOCAL_WRITE);
        MemoryRegion fresh = domain.register(memory, domain.policy().forMessages(rights));
        fresh.retain();
        Entry entry = new Entry(fresh);
        try {
            keep(entry);
            return fresh;
        } catch (Throwable e) { // such as a refusal to deregister an entry that was dropped
            CloseSteps steps = new CloseSteps();
            if (!isKept(entry)) {
                steps.run(fresh::close);
            }
            steps.run(() -> release(fresh));
            Throwable later = steps.failure();
            if (later != null) {
                CloseSteps.suppress(e, later);
            }
            throw e;
        }
    }

    private synchronized boolean isKept(Entry entry) {
        return byUse.containsKey(entry);
    }

    private static void check(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException(
                    "memory to register must be native and not empty: allocate it from an Arena, or map a file");
        }
        if (!memory.isAccessibleBy(ANY_OTHER)) {
            throw new IllegalArgumentException(
                    "memory of a confined arena is accessible to one thread only, but other threads end operations: use"
                            + " Arena.ofShared or Arena.ofAuto");
        }
        if (memory.byteSize() > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("an operation takes at most 2 GiB - 1, not " + memory.byteSize()
                    + " bytes: lease slices of the segment");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory's arena is closed: close it after the last operation");
        }
    }

    /**
     * Releases a lease's hold on the region. The last holder of a dropped entry deregisters, which is slow, so that
     * runs on a separate thread: leases may end on the loop, where operations end.
     */
    private static void release(MemoryRegion region) {
        if (region.isClosed()) {
            region.environment()
                    .startOrRun(
                            "rdma-free",
                            () -> new CloseSteps()
                                    .run(region::release) // if the device refuses it, the domain tries again
                                    .log(RegistrationCache.class, "leased memory was not deregistered"));
        } else {
            region.release();
        }
    }

    private synchronized @Nullable MemoryRegion cached(MemorySegment memory) {
        if (closed) {
            throw new IllegalStateException("the registration cache is closed");
        }
        TreeMap<Long, Entry> entries = byScope.get(memory.scope());
        Map.Entry<Long, Entry> before = entries == null ? null : entries.floorEntry(memory.address());
        if (before == null || !before.getValue().covers(memory)) {
            return null;
        }
        Entry entry = before.getValue();
        entry.region().retain();
        byUse.get(entry); // marks the entry as used
        return entry.region();
    }

    private void keep(Entry fresh) {
        List<Entry> dropped = new ArrayList<>();
        synchronized (this) {
            dropDead(dropped);
            TreeMap<Long, Entry> entries =
                    byScope.computeIfAbsent(fresh.memory().scope(), scope -> new TreeMap<>());
            long start = fresh.memory().address();
            Map.Entry<Long, Entry> before = entries.floorEntry(start);
            boolean covered = before != null && before.getValue().covers(fresh.memory()); // by one of another thread
            if (closed || covered || fresh.memory().byteSize() > maxBytes) {
                dropped.add(fresh);
            } else {
                if (before != null && before.getValue().end() > fresh.end()) { // read-only, which this is not
                    dropped.add(before.getValue());
                }
                entries.tailMap(start, true).values().stream()
                        .takeWhile(inside -> inside.memory().address() < fresh.end())
                        .filter(inside -> inside.end() <= fresh.end())
                        .forEach(dropped::add);
                dropped.forEach(this::remove);
                byScope.computeIfAbsent(fresh.memory().scope(), scope -> entries)
                        .put(start, fresh);
                byUse.put(fresh, true);
                bytes += fresh.memory().byteSize();
                evict(dropped);
            }
        }
        closeAll(dropped);
    }

    private void evict(List<Entry> dropped) {
        while (bytes > maxBytes) {
            Entry eldest = byUse.firstEntry().getKey();
            remove(eldest);
            dropped.add(eldest);
        }
    }

    private void dropDead(List<Entry> dropped) {
        for (Map.Entry<MemorySegment.Scope, TreeMap<Long, Entry>> scope : List.copyOf(byScope.entrySet())) {
            if (!scope.getKey().isAlive()) {
                dropped.addAll(scope.getValue().values());
            }
        }
        dropped.forEach(this::remove);
    }

    private void remove(Entry entry) {
        if (byUse.remove(entry) != null) {
            bytes -= entry.memory().byteSize();
            byScope.computeIfPresent(entry.memory().scope(), (scope, entries) -> {
                entries.remove(entry.memory().address());
                return entries.isEmpty() ? null : entries;
            });
        }
    }

    /**
     * Drops the registrations of a piece of memory. Open leases keep theirs until they are closed.
     *
     * @param memory all or part of the memory that was leased
     */
    public void invalidate(MemorySegment memory) {
        List<Entry> dropped = new ArrayList<>();
        synchronized (this) {
            for (Entry entry : byUse.keySet()) {
                if (entry.memory().scope().equals(memory.scope())
                        && entry.memory().address() < memory.address() + memory.byteSize()
                        && memory.address() < entry.end()) {
                    dropped.add(entry);
                }
            }
            dropped.forEach(this::remove);
        }
        closeAll(dropped);
    }

    /**
     * Returns the number of bytes that it keeps registered now.
     *
     * @return bytes
     */
    public synchronized long bytes() {
        return bytes;
    }

    /**
     * Returns the number of leases that needed no verbs call.
     *
     * @return since the start
     */
    public long hits() {
        return hits.get();
    }

    /**
     * Returns the number of leases that registered memory.
     *
     * @return since the start
     */
    public long misses() {
        return misses.get();
    }

    /** Drops all entries. Open leases keep their registrations until they are closed. */
    @Override
    public void close() {
        List<Entry> dropped;
        synchronized (this) {
            closed = true;
            dropped = List.copyOf(byUse.keySet());
            dropped.forEach(this::remove);
        }
        closeAll(dropped);
    }

    /**
     * Closes the region of each entry, even if an earlier one threw.
     *
     * @throws RuntimeException the first failure, with the others suppressed in it
     */
    private static void closeAll(List<Entry> dropped) {
        CloseSteps steps = new CloseSteps();
        dropped.forEach(entry -> steps.run(entry.region()::close));
        steps.report();
    }
}
