package io.rdma.engine;

import io.rdma.verbs.AddressHandle;
import io.rdma.verbs.AddressHandleAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

// Invariants
// - `users` is MAKING, then the number of operations that hold it, then CLOSED: whoever moves it from 0 to CLOSED
// destroys the handle, once, and nobody retains it afterwards.
// - The handle is written before `users` leaves MAKING.

/** An address handle in the cache, and how many operations use it. */
final class CachedAddress {
    private static final int MAKING = -1;
    private static final int CLOSED = -2;

    private final AddressHandles cache;
    private final AddressHandleAttributes attributes;
    private final List<AddressHandles.Waiter> waiting = new ArrayList<>(); // guarded by the cache
    private final AtomicInteger users = new AtomicInteger(MAKING);
    private @Nullable AddressHandle handle;
    private volatile boolean usedLately;

    CachedAddress(AddressHandles cache, AddressHandleAttributes attributes) {
        this.cache = cache;
        this.attributes = attributes;
    }

    AddressHandleAttributes attributes() {
        return attributes;
    }

    /** Those who wait until it is made. Under the cache's monitor. */
    List<AddressHandles.Waiter> waiting() {
        return waiting;
    }

    /** It is there, and as many hold it. */
    void made(AddressHandle made, int holders) {
        handle = made;
        usedLately = true;
        users.set(holders);
    }

    /**
     * Holds it.
     *
     * @return false if it is not made yet, or gone
     */
    boolean tryRetain() {
        for (int now = users.get(); now >= 0; now = users.get()) {
            if (users.compareAndSet(now, now + 1)) {
                usedLately = true;
                return true;
            }
        }
        return false;
    }

    /** Ends one hold. Any thread; does not block. */
    void release() {
        if (users.decrementAndGet() == 0) {
            cache.unused();
        }
    }

    /** Whether an operation holds it. */
    boolean isUsed() {
        return users.get() > 0;
    }

    /** Whether it is worth keeping for now: it is used, or was since this was asked last. */
    boolean isWorthKeeping() {
        boolean lately = usedLately;
        usedLately = false;
        return lately || users.get() != 0;
    }

    /**
     * The end, unless somebody holds it.
     *
     * @return true once: the caller destroys it
     */
    boolean tryClose() {
        return users.compareAndSet(0, CLOSED);
    }

    /** Of one that is held, or that the caller closes. */
    AddressHandle handle() {
        return Objects.requireNonNull(handle);
    }
}
